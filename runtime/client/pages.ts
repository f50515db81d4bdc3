import type { RequestOptions } from "./request.ts";

/** A page of a list that is not one of documents. */
export interface EntryPage<Entry> {
  items: Entry[];
  has_more: boolean;
  /** For `after`. */
  next_cursor?: string;
}

export interface PageOptions extends RequestOptions {
  /** 1-100, default 20. */
  limit?: number | undefined;
  /** `next_cursor` of the page before. */
  after?: string | undefined;
}

/** Options of a read: some are about the request, the others are parameters. */
export function read<Options extends RequestOptions>(all: Options) {
  const { signal, headers, onBehalfOf, timeout, retries, ...query } = all;
  return { options: { signal, headers, onBehalfOf, timeout, retries }, query, repeatable: true };
}
