/*
 * seccomp_filter.c - an interpreter of classic BPF.
 *
 * The machine has an accumulator, an index register and 16 words of memory.
 * Jumps go forward only, so a program of n instructions ends after n steps.
 */
#include "runtime/os/seccomp_filter.h"

#include <linux/audit.h>
#include <string.h>

#if defined(__x86_64__)
#define THIS_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define THIS_ARCH AUDIT_ARCH_AARCH64
#endif

#define MAX_INSTRUCTIONS 4096 /* BPF_MAXINSNS */

struct machine {
    uint32_t a, x, memory[BPF_MEMWORDS];
    struct seccomp_data data;
};

static bool load(struct machine *m, const struct sock_filter *f)
{
    uint32_t value;

    switch (BPF_MODE(f->code)) {
    case BPF_IMM:
        value = f->k;
        break;
    case BPF_ABS:
        if (BPF_CLASS(f->code) != BPF_LD || f->k % 4 != 0 ||
            f->k > sizeof(m->data) - 4)
            return false;
        memcpy(&value, (const char *)&m->data + f->k, 4);
        break;
    case BPF_LEN:
        value = sizeof(m->data);
        break;
    case BPF_MEM:
        if (f->k >= BPF_MEMWORDS)
            return false;
        value = m->memory[f->k];
        break;
    default:
        return false;
    }
    *(BPF_CLASS(f->code) == BPF_LD ? &m->a : &m->x) = value;
    return true;
}

static bool compute(struct machine *m, const struct sock_filter *f)
{
    uint32_t value = BPF_SRC(f->code) == BPF_X ? m->x : f->k;

    switch (BPF_OP(f->code)) {
    case BPF_ADD:
        m->a += value;
        return true;
    case BPF_SUB:
        m->a -= value;
        return true;
    case BPF_MUL:
        m->a *= value;
        return true;
    case BPF_DIV:
        m->a = value ? m->a / value : 0;
        return value != 0;
    case BPF_AND:
        m->a &= value;
        return true;
    case BPF_OR:
        m->a |= value;
        return true;
    case BPF_XOR:
        m->a ^= value;
        return true;
    case BPF_LSH:
        m->a = value < 32 ? m->a << value : 0;
        return true;
    case BPF_RSH:
        m->a = value < 32 ? m->a >> value : 0;
        return true;
    case BPF_NEG:
        m->a = 0u - m->a;
        return true;
    default:
        return false;
    }
}

/* *out is the number of instructions that the jump skips. */
static bool jump(const struct machine *m, const struct sock_filter *f,
                 size_t *out)
{
    uint32_t value = BPF_SRC(f->code) == BPF_X ? m->x : f->k;
    bool is_true;

    switch (BPF_OP(f->code)) {
    case BPF_JA:
        *out = f->k;
        return true;
    case BPF_JEQ:
        is_true = m->a == value;
        break;
    case BPF_JGT:
        is_true = m->a > value;
        break;
    case BPF_JGE:
        is_true = m->a >= value;
        break;
    case BPF_JSET:
        is_true = (m->a & value) != 0;
        break;
    default:
        return false;
    }
    *out = is_true ? f->jt : f->jf;
    return true;
}

static bool store(struct machine *m, const struct sock_filter *f)
{
    if (f->k >= BPF_MEMWORDS)
        return false;
    m->memory[f->k] = BPF_CLASS(f->code) == BPF_ST ? m->a : m->x;
    return true;
}

static bool transfer(struct machine *m, const struct sock_filter *f)
{
    if (BPF_MISCOP(f->code) == BPF_TAX)
        m->x = m->a;
    else
        m->a = m->x;
    return true;
}

/* Executes one instruction; false if the kernel would reject it. */
static bool step(struct machine *m, const struct sock_filter *f, size_t *skip)
{
    switch (BPF_CLASS(f->code)) {
    case BPF_LD:
    case BPF_LDX:
        return load(m, f);
    case BPF_ST:
    case BPF_STX:
        return store(m, f);
    case BPF_ALU:
        return compute(m, f);
    case BPF_JMP:
        return jump(m, f, skip);
    case BPF_MISC:
        return transfer(m, f);
    default:
        return false;
    }
}

uint32_t cp_seccomp_run(const struct sock_filter *filter, size_t n,
                        const struct cp_seccomp_call *call)
{
    struct machine m = { .data = { .nr = (int)call->number,
                                   .arch = THIS_ARCH,
                                   .instruction_pointer =
                                       (uintptr_t)cp_seccomp_run } };

    memcpy(m.data.args, call->args, sizeof(m.data.args));
    if (n > MAX_INSTRUCTIONS)
        return SECCOMP_RET_KILL_PROCESS;
    for (size_t i = 0, skip = 0; i < n; i += 1 + skip, skip = 0) {
        const struct sock_filter *f = &filter[i];

        if (BPF_CLASS(f->code) == BPF_RET)
            return BPF_RVAL(f->code) == BPF_A ? m.a : f->k;
        if (!step(&m, f, &skip))
            break;
    }
    return SECCOMP_RET_KILL_PROCESS;
}

static uint32_t action_of(uint32_t result)
{
    return result & SECCOMP_RET_ACTION_FULL;
}

bool cp_seccomp_is_allowed(uint32_t result)
{
    return action_of(result) == SECCOMP_RET_ALLOW ||
           action_of(result) == SECCOMP_RET_LOG;
}

bool cp_seccomp_is_harmless(uint32_t result)
{
    return cp_seccomp_is_allowed(result) ||
           action_of(result) == SECCOMP_RET_ERRNO;
}
