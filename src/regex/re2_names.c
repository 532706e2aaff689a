/*
 * re2_names.c - tables of character sets.
 *
 * PCRE2 has the same properties, but also accepts short script names, which RE2
 * rejects, and its \p{Greek} means script extensions. So the names of RE2 are
 * listed here, and scripts are written as "sc:".
 */
#include "regex/re2_names.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *name, *ranges;
} posix_sets[] = {
    { "alnum", "09AZaz" },
    { "alpha", "AZaz" },
    { "ascii", "\1\177" },
    { "blank", "\t\t  " },
    { "cntrl", "\1\37\177\177" },
    { "digit", "09" },
    { "graph", "!~" },
    { "lower", "az" },
    { "print", " ~" },
    { "punct", "!/:@[`{~" },
    { "space", "\t\r  " },
    { "upper", "AZ" },
    { "word", "09AZ__az" },
    { "xdigit", "09AFaf" },
};

/* Names with a different meaning in PCRE2; ^ negates the property. */
static const struct {
    const char *name, *property;
} aliases[] = {
    { "any", "Any" },
    { "assigned", "^Cn" },
    { "lc", "L&" },
    { "casedletter", "L&" },
    { "closepunctuation", "Pe" },
    { "combiningmark", "M" },
    { "connectorpunctuation", "Pc" },
    { "control", "Cc" },
    { "currencysymbol", "Sc" },
    { "dashpunctuation", "Pd" },
    { "decimalnumber", "Nd" },
    { "enclosingmark", "Me" },
    { "finalpunctuation", "Pf" },
    { "format", "Cf" },
    { "initialpunctuation", "Pi" },
    { "letter", "L" },
    { "letternumber", "Nl" },
    { "lineseparator", "Zl" },
    { "lowercaseletter", "Ll" },
    { "mark", "M" },
    { "mathsymbol", "Sm" },
    { "modifierletter", "Lm" },
    { "modifiersymbol", "Sk" },
    { "nonspacingmark", "Mn" },
    { "number", "N" },
    { "openpunctuation", "Ps" },
    { "other", "C" },
    { "otherletter", "Lo" },
    { "othernumber", "No" },
    { "otherpunctuation", "Po" },
    { "othersymbol", "So" },
    { "paragraphseparator", "Zp" },
    { "privateuse", "Co" },
    { "punctuation", "P" },
    { "separator", "Z" },
    { "spaceseparator", "Zs" },
    { "spacingmark", "Mc" },
    { "surrogate", "Cs" },
    { "symbol", "S" },
    { "titlecaseletter", "Lt" },
    { "unassigned", "Cn" },
    { "uppercaseletter", "Lu" },
    { "cntrl", "Cc" },
    { "digit", "Nd" },
    { "punct", "P" },
};

static const char *const categories[] = {
    "C",  "Cc", "Cf", "Cn", "Co", "Cs", "L",  "Ll", "Lm", "Lo",
    "Lt", "Lu", "M",  "Mc", "Me", "Mn", "N",  "Nd", "Nl", "No",
    "P",  "Pc", "Pd", "Pe", "Pf", "Pi", "Po", "Ps", "S",  "Sc",
    "Sk", "Sm", "So", "Z",  "Zl", "Zp", "Zs",
};

/* Without underscores, the form in which names are compared. */
static const char *const scripts[] = {
    "adlam",
    "ahom",
    "anatolianhieroglyphs",
    "arabic",
    "armenian",
    "avestan",
    "balinese",
    "bamum",
    "bassavah",
    "batak",
    "bengali",
    "bhaiksuki",
    "bopomofo",
    "brahmi",
    "braille",
    "buginese",
    "buhid",
    "canadianaboriginal",
    "carian",
    "caucasianalbanian",
    "chakma",
    "cham",
    "cherokee",
    "chorasmian",
    "common",
    "coptic",
    "cuneiform",
    "cypriot",
    "cyprominoan",
    "cyrillic",
    "deseret",
    "devanagari",
    "divesakuru",
    "dogra",
    "duployan",
    "egyptianhieroglyphs",
    "elbasan",
    "elymaic",
    "ethiopic",
    "georgian",
    "glagolitic",
    "gothic",
    "grantha",
    "greek",
    "gujarati",
    "gunjalagondi",
    "gurmukhi",
    "han",
    "hangul",
    "hanifirohingya",
    "hanunoo",
    "hatran",
    "hebrew",
    "hiragana",
    "imperialaramaic",
    "inherited",
    "inscriptionalpahlavi",
    "inscriptionalparthian",
    "javanese",
    "kaithi",
    "kannada",
    "katakana",
    "kayahli",
    "kharoshthi",
    "khitansmallscript",
    "khmer",
    "khojki",
    "khudawadi",
    "lao",
    "latin",
    "lepcha",
    "limbu",
    "lineara",
    "linearb",
    "lisu",
    "lycian",
    "lydian",
    "mahajani",
    "makasar",
    "malayalam",
    "mandaic",
    "manichaean",
    "marchen",
    "masaramgondi",
    "medefaidrin",
    "meeteimayek",
    "mendekikakui",
    "meroiticcursive",
    "meroitichieroglyphs",
    "miao",
    "modi",
    "mongolian",
    "mro",
    "multani",
    "myanmar",
    "nabataean",
    "nandinagari",
    "newtailue",
    "newa",
    "nko",
    "nushu",
    "nyiakengpuachuehmong",
    "ogham",
    "olchiki",
    "oldhungarian",
    "olditalic",
    "oldnortharabian",
    "oldpermic",
    "oldpersian",
    "oldsogdian",
    "oldsoutharabian",
    "oldturkic",
    "olduyghur",
    "oriya",
    "osage",
    "osmanya",
    "pahawhhmong",
    "palmyrene",
    "paucinhau",
    "phagspa",
    "phoenician",
    "psalterpahlavi",
    "rejang",
    "runic",
    "samaritan",
    "saurashtra",
    "sharada",
    "shavian",
    "siddham",
    "signwriting",
    "sinhala",
    "sogdian",
    "sorasompeng",
    "soyombo",
    "sundanese",
    "sylotinagri",
    "syriac",
    "tagalog",
    "tagbanwa",
    "taile",
    "taitham",
    "taiviet",
    "takri",
    "tamil",
    "tangsa",
    "tangut",
    "telugu",
    "thaana",
    "thai",
    "tibetan",
    "tifinagh",
    "tirhuta",
    "toto",
    "ugaritic",
    "vai",
    "vithkuqi",
    "wancho",
    "warangciti",
    "yezidi",
    "yi",
    "zanabazarsquare",
};

const char *cp_re2_names_posix(const char *name, size_t len)
{
    for (size_t i = 0; i < sizeof(posix_sets) / sizeof(posix_sets[0]); i++)
        if (strlen(posix_sets[i].name) == len &&
            memcmp(posix_sets[i].name, name, len) == 0)
            return posix_sets[i].ranges;
    return NULL;
}

const char *cp_re2_names_perl(int letter)
{
    switch (letter) {
    case 'd':
        return "09";
    case 's':
        return "\t\n\f\r  ";
    case 'w':
        return "09AZ__az";
    default:
        return NULL;
    }
}

/*
 * Writes the name in lower case without ignored characters; false if it is too
 * long.
 */
static bool canonical(const char *name, size_t len,
                      char out[static CP_RE2_PROPERTY_MAX])
{
    size_t n = 0;

    for (size_t i = 0; i < len; i++) {
        if (name[i] == '_' || name[i] == '-' || name[i] == ' ')
            continue;
        if (n == 32) /* longer than any name */
            return false;
        out[n++] = (char)tolower((uint8_t)name[i]);
    }
    out[n] = '\0';
    return true;
}

static const char *find_property(const char *name)
{
    for (size_t i = 0; i < sizeof(aliases) / sizeof(aliases[0]); i++)
        if (strcmp(aliases[i].name, name) == 0)
            return aliases[i].property;
    for (size_t i = 0; i < sizeof(categories) / sizeof(categories[0]); i++)
        if (strcasecmp(categories[i], name) == 0)
            return categories[i];
    return NULL;
}

static bool is_script(const char *name)
{
    for (size_t i = 0; i < sizeof(scripts) / sizeof(scripts[0]); i++)
        if (strcmp(scripts[i], name) == 0)
            return true;
    return false;
}

bool cp_re2_names_property(const char *name, size_t len, bool is_folded,
                           char out[static CP_RE2_PROPERTY_MAX])
{
    char key[CP_RE2_PROPERTY_MAX];
    const char *property;

    if (!canonical(name, len, key))
        return false;
    property = find_property(key);
    if (property && is_folded &&
        (strcmp(property, "Lu") == 0 || strcmp(property, "Ll") == 0))
        property = "L&";
    if (property)
        (void)snprintf(out, CP_RE2_PROPERTY_MAX, "%s", property);
    else if (is_script(key))
        (void)snprintf(out, CP_RE2_PROPERTY_MAX, "sc:%.32s", key);
    else
        return false;
    return true;
}
