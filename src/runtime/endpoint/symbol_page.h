/*
 * symbol_page - serves /debug/pprof/symbol: the function names of addresses.
 *
 * google-pprof and go tool pprof send the addresses of a profile, joined by
 * '+', in the body of a POST or in the query.
 *
 * Context: the endpoint thread.
 */
#ifndef CP_SYMBOL_PAGE_H
#define CP_SYMBOL_PAGE_H

struct cp_http_exchange;
struct cp_service;

void cp_symbol_page(struct cp_service *s, struct cp_http_exchange *x);

#endif
