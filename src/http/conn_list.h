/*
 * conn_list - the list of connections of a server, ordered by last request; the
 * memory that they use together, and which are closed to make room.
 *
 * Closing frees nothing: a closed connection stays in the list of the dead
 * until the end of the turn (cp_http_conn_free_dead), so callers up the stack
 * may still read it.
 *
 * Context: the thread of the server. Locking: none. Internal to src/http.
 */
#ifndef CP_HTTP_CONN_LIST_H
#define CP_HTTP_CONN_LIST_H

#include <stdbool.h>
#include <stddef.h>

struct cp_http_exchange;
struct cp_http_server;

/* Inserts a new connection as the newest. */
void cp_http_conn_insert(struct cp_http_exchange *x);

/* Moves a connection to the newest end. */
void cp_http_conn_make_newest(struct cp_http_exchange *x);

/* Makes the loop advance the connection before it sleeps. */
void cp_http_conn_touch(struct cp_http_exchange *x);

/* Records the bytes of memory that its request uses. */
void cp_http_conn_count_held(struct cp_http_exchange *x, size_t now);

/* Frees the buffers of its response. */
void cp_http_conn_drop_output(struct cp_http_exchange *x);

/* Closes the socket and calls on_disconnect of a deferred exchange. */
void cp_http_conn_close(struct cp_http_exchange *x);

/* Frees the closed connections, at the end of a turn. */
void cp_http_conn_free_dead(struct cp_http_server *s);

/*
 * Closes the oldest IDLE, READING or LINGERING connection. Returns false if
 * there is none.
 */
bool cp_http_conn_evict(struct cp_http_server *s);

/*
 * Closes the slowest readers until the limit limits.output_bytes is met; never
 * closes `keep`.
 */
void cp_http_conn_evict_readers(struct cp_http_exchange *keep);

/*
 * Closes the slowest senders until the limit limits.input_bytes is met; never
 * closes `keep`.
 */
void cp_http_conn_evict_senders(struct cp_http_exchange *keep);

#endif
