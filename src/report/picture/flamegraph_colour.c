/*
 * flamegraph_colour.c - computes the colours of boxes.
 *
 * Functions of one package share a hue and differ in lightness. All colours are
 * light enough for black letters.
 */
#include "report/picture/flamegraph.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/*
 * Hashes a string: FNV-1a with a final mix. base/hash.h is seeded, but a
 * function must have the same colour in every picture.
 */
static uint64_t stable_hash(struct cp_str text)
{
    uint64_t h = 0xcbf29ce484222325u;

    for (uint32_t i = 0; i < text.len; i++)
        h = (h ^ (unsigned char)text.ptr[i]) * 0x100000001b3u;
    return (h ^ h >> 32) * 0x9e3779b97f4a7c15u;
}

/*
 * Returns the index of the first of these bytes at or after `from`, or the
 * length.
 */
static uint32_t find_any(struct cp_str text, const char *bytes, uint32_t from)
{
    while (from < text.len &&
           (text.ptr[from] == '\0' || !strchr(bytes, text.ptr[from])))
        from++;
    return from;
}

/* Whether a class name starts there: it ends a Java package. */
static bool is_class(struct cp_str name, uint32_t at)
{
    return at < name.len && name.ptr[at] >= 'A' && name.ptr[at] <= 'Z';
}

/*
 * Returns the package or namespace of a name: "net/http" for
 * "net/http.(*conn).serve", "std" for "std::sort<int*>(int*)", "java.util" for
 * "java.util.HashMap.get". The name itself if it has none.
 */
static struct cp_str package_of(struct cp_str name)
{
    uint32_t end, slash = 0, first, dot;

    while (name.len > 0 && (*name.ptr == '<' || *name.ptr == '&')) {
        name.ptr++;
        name.len--;
    }
    end = find_any(name, "([<{ ", 0);
    for (uint32_t i = 0; i < end; i++) {
        if (name.ptr[i] == '/')
            slash = i + 1;
        if (name.ptr[i] == ':' && i + 1 < end && name.ptr[i + 1] == ':')
            return (struct cp_str){ name.ptr, i };
    }
    first = dot = find_any(name, ".", slash);
    while (slash == 0 && dot < end && !is_class(name, dot + 1))
        dot = find_any(name, ".", dot + 1);
    return (struct cp_str){ name.ptr, dot < end ? dot : first };
}

static int channel(double hue, double saturation, double lightness, int n)
{
    double k = fmod(n + hue / 30, 12);
    double reach = saturation * fmin(lightness, 1 - lightness);
    double v = lightness - reach * fmax(-1, fmin(1, fmin(k - 3, 9 - k)));

    return (int)lround(v * 255);
}

void cp_flame_colour(struct cp_str name, char out[static CP_COLOUR_BYTES])
{
    struct cp_str package = package_of(name);
    uint64_t place = stable_hash(package);
    uint64_t shade = stable_hash(name);
    double hue = (double)(place % 360);
    double saturation = 0.5 + (double)(place / 360 % 3) * 0.12;
    double lightness = 0.70 + (double)(shade % 8) * 0.015;

    (void)snprintf(out, CP_COLOUR_BYTES, "#%02x%02x%02x",
                   channel(hue, saturation, lightness, 0) & 0xff,
                   channel(hue, saturation, lightness, 8) & 0xff,
                   channel(hue, saturation, lightness, 4) & 0xff);
}

void cp_flame_diff_colour(double change, char out[static CP_COLOUR_BYTES])
{
    static const int same[] = { 0xea, 0xea, 0xea };
    static const int grown[] = { 0xf0, 0x5a, 0x3c };
    static const int shrunk[] = { 0x4f, 0x9b, 0xe0 };
    const int *to = change < 0 ? shrunk : grown;
    double part = sqrt(
        fmin(fabs(change), 1)); /* square root makes small changes visible */
    int mixed[3];

    for (int i = 0; i < 3; i++)
        mixed[i] = (int)lround(same[i] + (to[i] - same[i]) * part) & 0xff;
    (void)snprintf(out, CP_COLOUR_BYTES, "#%02x%02x%02x", mixed[0], mixed[1],
                   mixed[2]);
}
