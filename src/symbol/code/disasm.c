/* disasm.c - disassembles code with capstone. */
#include "symbol/code/disasm.h"

#include <capstone/capstone.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "elf/elf_file.h"
#include "symbol/demangle/demangle.h"
#include "symbol/table/routines.h"

#define MAX_TEXT 512
#define MAX_CODE ((uint64_t)64 << 20) /* maximum bytes of a routine */

/* The capstone functions in use. */
struct library {
    cs_err (*open)(cs_arch arch, cs_mode mode, csh *handle);
    cs_err (*close)(csh *handle);
    cs_err (*option)(csh handle, cs_opt_type type, size_t value);
    bool (*disasm_iter)(csh handle, const uint8_t **code, size_t *size,
                        uint64_t *address, cs_insn *insn);
    cs_insn *(*insn_alloc)(csh handle);
    void (*insn_free)(cs_insn *insn, size_t count);
};

struct cp_disasm {
    const struct library *library;
    const struct cp_elf *e;
    const struct cp_routines *routines;
    csh handle;
    cs_insn *insn;
    size_t step; /* bytes to skip if an instruction cannot be decoded */
};

static bool find(void *from, const char *name, void *place)
{
    void *symbol = dlsym(from, name);

    memcpy(place, &symbol, sizeof(symbol));
    return symbol != NULL;
}

/* Loads capstone with dlopen. The first call must be on a single thread. */
static const struct library *load(struct cp_error *err)
{
    static struct library library;
    void *from;

    if (library.insn_free)
        return &library;
    from = dlopen("libcapstone.so.4", RTLD_NOW | RTLD_LOCAL);
    if (!from) {
        (void)cp_error_set(
            err, CP_EIO,
            "disassembly needs capstone: apt-get install libcapstone4");
        return NULL;
    }
    if (!find(from, "cs_open", &library.open) ||
        !find(from, "cs_close", &library.close) ||
        !find(from, "cs_option", &library.option) ||
        !find(from, "cs_disasm_iter", &library.disasm_iter) ||
        !find(from, "cs_malloc", &library.insn_alloc) ||
        !find(from, "cs_free", &library.insn_free)) {
        (void)cp_error_set(
            err, CP_EIO,
            "libcapstone.so.4 cannot be loaded: a function is missing");
        return NULL;
    }
    return &library;
}

/* Finds capstone's constants for the machine of a file. */
static bool find_machine(const struct cp_elf *e, cs_arch *arch, int *mode,
                         size_t *step)
{
    static const struct {
        unsigned machine;
        cs_arch arch;
        int mode;
        size_t step;
    } machines[] = {
        { EM_X86_64, CS_ARCH_X86, CS_MODE_64, 1 },
        { EM_386, CS_ARCH_X86, CS_MODE_32, 1 },
        { EM_AARCH64, CS_ARCH_ARM64, CS_MODE_ARM, 4 },
        { EM_ARM, CS_ARCH_ARM, CS_MODE_ARM, 4 },
        { EM_PPC64, CS_ARCH_PPC, CS_MODE_64, 4 },
        { EM_MIPS, CS_ARCH_MIPS, CS_MODE_MIPS32, 4 },
    };

    for (size_t i = 0; i < sizeof(machines) / sizeof(*machines); i++) {
        if (machines[i].machine != cp_elf_machine(e))
            continue;
        *arch = machines[i].arch;
        *mode = machines[i].mode;
        *step = machines[i].step;
        return true;
    }
    return false;
}

struct cp_disasm *cp_disasm_new(const struct cp_elf *e,
                                const struct cp_routines *routines,
                                bool is_intel, struct cp_error *err)
{
    const struct library *library = load(err);
    struct cp_disasm *d = library ? cp_alloc(1, sizeof(*d), err) : NULL;
    cs_arch arch = CS_ARCH_X86;
    int mode = 0;

    if (!d)
        return NULL;
    *d = (struct cp_disasm){ .library = library, .e = e, .routines = routines };
    if (!find_machine(e, &arch, &mode, &d->step) ||
        library->open(arch, (cs_mode)mode, &d->handle) != CS_ERR_OK) {
        (void)cp_error_set(err, CP_EOTHER,
                           "cannot disassemble code of machine %u",
                           cp_elf_machine(e));
        cp_free(d);
        return NULL;
    }
    (void)library->option(d->handle, CS_OPT_DETAIL, CS_OPT_ON);
    if (arch == CS_ARCH_X86)
        (void)library->option(d->handle, CS_OPT_SYNTAX,
                              is_intel ? CS_OPT_SYNTAX_INTEL
                                       : CS_OPT_SYNTAX_ATT);
    d->insn = library->insn_alloc(d->handle);
    if (!d->insn) {
        cp_disasm_free(d);
        (void)cp_error_nomem(err);
        return NULL;
    }
    return d;
}

void cp_disasm_free(struct cp_disasm *d)
{
    if (!d)
        return;
    if (d->insn)
        d->library->insn_free(d->insn, 1);
    (void)d->library->close(&d->handle);
    cp_free(d);
}

/* Returns the address that an instruction jumps to or reads; 0 if unknown. */
static uint64_t find_target(const struct cp_disasm *d)
{
    const cs_detail *detail = d->insn->detail;
    bool jumps = false;

    for (int i = 0; i < detail->groups_count; i++)
        jumps |= detail->groups[i] == CS_GRP_JUMP ||
                 detail->groups[i] == CS_GRP_CALL ||
                 detail->groups[i] == CS_GRP_BRANCH_RELATIVE;
    if (cp_elf_machine(d->e) == EM_AARCH64) {
        const cs_arm64 *arm = &detail->arm64;

        for (int i = 0; jumps && i < arm->op_count; i++)
            if (arm->operands[i].type == ARM64_OP_IMM &&
                (uint64_t)arm->operands[i].imm > 0xfff)
                return (uint64_t)arm->operands[i].imm;
        return 0;
    }
    if (cp_elf_machine(d->e) != EM_X86_64)
        return 0;
    for (int i = 0; i < detail->x86.op_count; i++) {
        const cs_x86_op *op = &detail->x86.operands[i];

        if (op->type == X86_OP_IMM && jumps)
            return (uint64_t)op->imm;
        if (op->type == X86_OP_MEM && op->mem.base == X86_REG_RIP)
            return d->insn->address + d->insn->size + (uint64_t)op->mem.disp;
    }
    return 0;
}

/* Writes " <name+0x10>" for the target of an instruction. */
static void name_target(const struct cp_disasm *d, char *out, size_t cap)
{
    uint64_t target = find_target(d);
    const struct cp_routine *r =
        target ? cp_routines_find(d->routines, target) : NULL;
    char name[MAX_TEXT / 2];
    const char *text;

    *out = '\0';
    if (!r)
        return;
    text = cp_demangle(r->name, CP_DEMANGLE_SIMPLE, name, sizeof(name))
               ? name
               : r->name;
    if (target == r->start)
        (void)snprintf(out, cap, " <%s>", text);
    else
        (void)snprintf(out, cap, " <%s+0x%" PRIx64 ">", text,
                       target - r->start);
}

static void write_insn(const struct cp_disasm *d, cp_disasm_sink *sink,
                       void *context)
{
    const cs_insn *insn = d->insn;
    char text[2 * MAX_TEXT], target[MAX_TEXT];

    name_target(d, target, sizeof(target));
    if (insn->op_str[0] == '\0')
        (void)snprintf(text, sizeof(text), "%s%s", insn->mnemonic, target);
    else
        (void)snprintf(text, sizeof(text), "%-6s %s%s", insn->mnemonic,
                       insn->op_str, target);
    sink(context, insn->address, insn->size, text);
}

/* Returns the code at a virtual address, and its length. */
static const uint8_t *find_code(const struct cp_elf *e, uint64_t address,
                                size_t *len)
{
    for (size_t i = 0; i < cp_elf_section_count(e); i++) {
        const struct cp_elf_section *s = cp_elf_section_at(e, i);

        if (s->data && (s->flags & SHF_EXECINSTR) && address >= s->addr &&
            address - s->addr < s->len) {
            *len = s->len - (size_t)(address - s->addr);
            return s->data + (address - s->addr);
        }
    }
    return NULL;
}

enum cp_status cp_disasm_run(struct cp_disasm *d, uint64_t start, uint64_t end,
                             cp_disasm_sink *sink, void *context,
                             struct cp_error *err)
{
    size_t len = 0;
    const uint8_t *code = find_code(d->e, start, &len);

    if (!code)
        return cp_error_set(err, CP_EFORMAT,
                            "the file has no code at 0x%" PRIx64, start);
    if (end - start > MAX_CODE)
        end = start + MAX_CODE;
    if (len > end - start)
        len = (size_t)(end - start);
    if (!cp_elf_fetch(d->e, code, len))
        return cp_error_set(err, CP_EIO,
                            "cannot read code: the file has changed");
    while (len > 0) {
        size_t step = d->step < len ? d->step : len;

        if (d->library->disasm_iter(d->handle, &code, &len, &start, d->insn)) {
            write_insn(d, sink, context);
            continue;
        }
        sink(context, start, step, "(bad)");
        code += step;
        len -= step;
        start += step;
    }
    return CP_OK;
}
