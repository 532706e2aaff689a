/*
 * conn_list - all connections of a server: in the order of their last request,
 * what they hold together, and who has to go.
 *
 * conn.c has what one of them does. Nothing is freed while somebody may hold
 * it: who is closed is among the dead until the loop comes round
 * (cp_http_conn_bury). Internal to src/http.
 */
#ifndef CP_HTTP_CONN_LIST_H
#define CP_HTTP_CONN_LIST_H

#include <stdbool.h>
#include <stddef.h>

struct cp_http_exchange;
struct cp_http_server;

/* Enters a new connection, as the newest. */
void cp_http_conn_enter(struct cp_http_exchange *x);

/* It has begun anew: makes it the newest. */
void cp_http_conn_renew(struct cp_http_exchange *x);

/* Has the loop look at the connection before it sleeps. */
void cp_http_conn_touch(struct cp_http_exchange *x);

/* Notes how many bytes its request holds now. */
void cp_http_conn_count_held(struct cp_http_exchange *x, size_t now);

/* Frees its answer, sent or not. */
void cp_http_conn_drop_body(struct cp_http_exchange *x);

/* Closes it and tells a callbacks. The memory goes when the loop comes round.
 */
void cp_http_conn_close(struct cp_http_exchange *x);

/* Frees what was closed. */
void cp_http_conn_bury(struct cp_http_server *s);

/* Closes the oldest connection that nobody waits for; false: there is none. */
bool cp_http_conn_evict(struct cp_http_server *s);

/* Too much waits for slow readers: those that wait longest go, but one. */
void cp_http_conn_evict_readers(struct cp_http_exchange *but);

/* Too much is held for those who do not finish what they ask: the same. */
void cp_http_conn_evict_askers(struct cp_http_exchange *but);

#endif
