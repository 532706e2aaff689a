/*
 * index_page - the first page: what there is, and what it costs.
 *
 * For people a page without anything from elsewhere; for programs the same as
 * JSON (`format=json`), which the page itself asks for to stay up to date.
 */
#ifndef CP_INDEX_PAGE_H
#define CP_INDEX_PAGE_H

struct cp_http_exchange;
struct cp_service;

void cp_index_page(struct cp_service *s, struct cp_http_exchange *x);

#endif
