/*
 * memory_stats - what the program needs: the lines about memory under a heap
 * profile in text form, and a few numbers for the page to draw.
 *
 * Named as Go names its own, as far as there is such a thing here: what the
 * program has allocated is estimated from the samples, what it has from the
 * system is asked of the system.
 */
#ifndef CP_MEMORY_STATS_H
#define CP_MEMORY_STATS_H

struct cp_out;

void cp_memory_stats_write(struct cp_out *out);

/*
 * The few that are worth watching, as JSON; costs two reads of /proc:
 * {"time_ns":…,"rss":…,"heap":…,"threads":…,"cpu_ns":…}.
 */
void cp_memory_stats_json(struct cp_out *out);

#endif
