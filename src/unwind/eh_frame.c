/* eh_frame.c - parses CIEs, FDEs and the table of .eh_frame_hdr. */
#include "unwind/eh_frame.h"

/* Pointer encodings (DW_EH_PE_*). */
#define ENC_OMIT 0xff
#define ENC_FORM 0x0f
#define ENC_BASE 0x70
#define ENC_INDIRECT 0x80
#define BASE_PC 0x10
#define BASE_DATA 0x30

struct reader {
    const struct cp_eh_bytes *bytes;
    const uint8_t *cie_at; /* position of the last CIE, or NULL */
    struct cp_cie cie;     /* the last CIE */
};

static uint64_t address_of(const struct cp_eh_bytes *b, const uint8_t *p)
{
    return (uint64_t)((uintptr_t)p + (uintptr_t)b->bias);
}

static const uint8_t *byte_at(const struct cp_eh_bytes *b, uint64_t address)
{
    uint64_t at = address - address_of(b, b->start);

    return at < (uint64_t)(b->end - b->start) ? b->start + at : NULL;
}

static uint64_t read_form(struct cp_cursor *c, uint8_t encoding)
{
    switch (encoding & ENC_FORM) {
    case 0x00:
    case 0x04:
    case 0x0c:
        return cp_cursor_uint(c, 8);
    case 0x01:
        return cp_cursor_uleb(c);
    case 0x02:
        return cp_cursor_uint(c, 2);
    case 0x03:
        return cp_cursor_uint(c, 4);
    case 0x09:
        return (uint64_t)cp_cursor_sleb(c);
    case 0x0a:
        return (uint64_t)cp_cursor_int(c, 2);
    case 0x0b:
        return (uint64_t)cp_cursor_int(c, 4);
    default:
        c->is_bad = true;
        return 0;
    }
}

static uint64_t read_address(const struct cp_eh_bytes *b, struct cp_cursor *c,
                             uint8_t encoding)
{
    uint64_t base = 0;

    switch (encoding & ENC_BASE) {
    case 0:
        break;
    case BASE_PC:
        base = address_of(b, c->pos);
        break;
    case BASE_DATA:
        base = b->hdr ? address_of(b, b->hdr) : 0;
        break;
    default:
        c->is_bad = true;
    }
    if (encoding & ENC_INDIRECT)
        c->is_bad = true;
    return base + read_form(c, encoding);
}

/* Reads the augmentation data of the letters after 'z'. */
static void read_augmentation(struct cp_cie *cie, const char *letters,
                              struct cp_cursor data)
{
    for (; *letters && !data.is_bad; letters++) {
        if (*letters == 'R')
            cie->fde_encoding = (uint8_t)cp_cursor_uint(&data, 1);
        else if (*letters == 'P')
            (void)read_form(&data, (uint8_t)cp_cursor_uint(&data, 1));
        else if (*letters == 'L')
            cp_cursor_skip(&data, 1);
        else if (*letters == 'S')
            cie->is_signal = true;
        else if (*letters != 'B')
            break;
    }
}

static bool read_cie(struct reader *r, struct cp_cursor c)
{
    struct cp_cie cie = { 0 };
    const char *letters;
    uint8_t version = (uint8_t)cp_cursor_uint(&c, 1);

    if (version != 1 && version != 3 && version != 4)
        return false;
    letters = (const char *)c.pos;
    while (cp_cursor_uint(&c, 1) != 0)
        ;
    if (version == 4)
        cp_cursor_skip(&c, 2); /* sizes of addresses and segments */
    cie.code_align = cp_cursor_uleb(&c);
    cie.data_align = cp_cursor_sleb(&c);
    cie.ra_column = version == 1 ? cp_cursor_uint(&c, 1) : cp_cursor_uleb(&c);
    if (c.is_bad)
        return false;
    if (*letters == 'z') {
        cie.has_augmentation = true;
        read_augmentation(&cie, letters + 1,
                          cp_cursor_take(&c, cp_cursor_uleb(&c)));
    } else if (*letters) {
        return false; /* augmentation data of unknown length */
    }
    cie.program = c;
    r->cie = cie;
    return !c.is_bad;
}

/* Returns the body of the entry at p, starting at its id. */
static struct cp_cursor entry_at(const struct cp_eh_bytes *b, const uint8_t *p)
{
    struct cp_cursor c = { p, b->end, false };
    uint64_t len = cp_cursor_uint(&c, 4);

    if (len == 0xffffffffu)
        len = cp_cursor_uint(&c, 8);
    return cp_cursor_take(&c, len);
}

static bool find_cie(struct reader *r, const uint8_t *at)
{
    struct cp_cursor c;

    if (at == r->cie_at)
        return true;
    c = entry_at(r->bytes, at);
    if (cp_cursor_uint(&c, 4) != 0 || c.is_bad || !read_cie(r, c))
        return false;
    r->cie_at = at;
    return true;
}

/* Parses an FDE; c starts at its id. */
static bool read_fde(struct reader *r, struct cp_cursor c, struct cp_fde *out)
{
    const uint8_t *id_at = c.pos;
    uint64_t back = cp_cursor_uint(&c, 4), len;

    if (c.is_bad || back == 0 || back > (uint64_t)(id_at - r->bytes->start) ||
        !find_cie(r, id_at - back))
        return false;
    out->cie = r->cie;
    out->start = read_address(r->bytes, &c, r->cie.fde_encoding);
    len = read_form(&c, r->cie.fde_encoding);
    out->end = out->start + len;
    if (r->cie.has_augmentation)
        cp_cursor_skip(&c, cp_cursor_uleb(&c));
    out->program = c;
    return !c.is_bad && out->end > out->start;
}

/* Reads the entries in the order of the section. */
static size_t each_in_section(struct reader *r, const uint8_t *at,
                              cp_fde_sink *sink, void *context)
{
    size_t n_bad = 0;
    struct cp_fde fde;

    while (at && r->bytes->end - at >= 8) {
        struct cp_cursor c = entry_at(r->bytes, at), id = c;
        const uint8_t *next = c.end;

        if (c.is_bad || c.end == c.pos)
            return n_bad + (c.is_bad && c.end != c.pos);
        at = next;
        if (cp_cursor_uint(&id, 4) == 0)
            continue;
        if (!read_fde(r, c, &fde))
            n_bad++;
        else if (!sink(context, &fde))
            return n_bad;
    }
    return n_bad;
}

/*
 * Reads the entries in the order of the table, whose pairs are two 4-byte
 * offsets.
 */
static size_t each_in_table(struct reader *r, struct cp_cursor table, size_t n,
                            cp_fde_sink *sink, void *context)
{
    size_t n_bad = 0;
    struct cp_fde fde;

    for (size_t i = 0; i < n; i++) {
        const uint8_t *at;
        struct cp_cursor c;

        cp_cursor_skip(&table, 4);
        at = byte_at(r->bytes, read_address(r->bytes, &table, BASE_DATA | 0xb));
        if (table.is_bad)
            return n_bad + n - i;
        c = at ? entry_at(r->bytes, at) : (struct cp_cursor){ .is_bad = true };
        if (c.is_bad || !read_fde(r, c, &fde))
            n_bad++;
        else if (!sink(context, &fde))
            return n_bad;
    }
    return n_bad;
}

size_t cp_eh_frame_each(const struct cp_eh_bytes *bytes, cp_fde_sink *sink,
                        void *context)
{
    struct reader r = { .bytes = bytes };
    struct cp_cursor c = { bytes->hdr, bytes->end, !bytes->hdr };
    const uint8_t *frame = bytes->frame;
    uint64_t version = cp_cursor_uint(&c, 1);
    uint8_t frame_enc = (uint8_t)cp_cursor_uint(&c, 1);
    uint8_t count_enc = (uint8_t)cp_cursor_uint(&c, 1);
    uint8_t table_enc = (uint8_t)cp_cursor_uint(&c, 1);
    uint64_t address, n;

    if (c.is_bad || version != 1)
        return each_in_section(&r, frame, sink, context);
    address = read_address(bytes, &c, frame_enc);
    if (!frame && frame_enc != ENC_OMIT)
        frame = byte_at(bytes, address);
    if (count_enc == ENC_OMIT || table_enc != (BASE_DATA | 0xb))
        return each_in_section(&r, frame, sink, context);
    n = read_address(bytes, &c, count_enc);
    if (c.is_bad || n > (uint64_t)(c.end - c.pos) / 8)
        return each_in_section(&r, frame, sink, context);
    return each_in_table(&r, c, (size_t)n, sink, context);
}
