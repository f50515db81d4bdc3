import { email, TICKETS } from "./data.ts";

/** One query, asked of the generated server and of the one by hand. */
export interface QueryRow {
  readonly name: string;
  /** Requests in one measured run, and how many of them at a time. */
  readonly amount: number;
  readonly connections: number;
  /** Paths below the collection's: the same query in each server's words. */
  generated(page: Page): string;
  handwritten(page: Page): string;
}

/** Where page 1,000 begins. */
export interface Page {
  readonly after: string;
}

const query = (parameters: Record<string, string>): string => `?${new URLSearchParams(parameters)}`;

const limit = "20";
const open = JSON.stringify({ status: "open" });
/** Of one ticket; the scan finds no second one. */
const reporter = (): string =>
  JSON.stringify({ "reporter.email": email(Math.floor(Math.random() * TICKETS)) });
const words = JSON.stringify({ $search: "printer smoke" });

export const queryRows: readonly QueryRow[] = [
  {
    name: "first page of 20",
    amount: 4_000,
    connections: 16,
    generated: () => query({ limit }),
    handwritten: () => `/first${query({ limit })}`,
  },
  {
    name: "page 1,000 of 20",
    amount: 4_000,
    connections: 16,
    generated: ({ after }) => query({ limit, after }),
    handwritten: ({ after }) => `/after${query({ limit, after })}`,
  },
  {
    name: "indexed filter, page of 20",
    amount: 4_000,
    connections: 16,
    generated: () => query({ where: open, limit }),
    handwritten: () => `/by-status${query({ where: open, limit })}`,
  },
  {
    name: "indexed order of two fields, page of 20",
    amount: 4_000,
    connections: 16,
    generated: () => query({ order_by: "status,-due_at", limit }),
    handwritten: () => `/by-due${query({ limit })}`,
  },
  {
    name: "unindexed filter over 100,000",
    amount: 16,
    connections: 2,
    generated: () => query({ where: reporter(), limit }),
    handwritten: () => `/unindexed${query({ where: reporter(), limit })}`,
  },
  {
    name: "count of 25,000, page of 20",
    amount: 600,
    connections: 2,
    generated: () => query({ where: open, limit, count: "true" }),
    handwritten: () => `/count${query({ where: open, limit })}`,
  },
  {
    name: "search by relevance, page of 20",
    amount: 20,
    connections: 2,
    generated: () => query({ where: words, order_by: "_relevance", limit }),
    handwritten: () => `/search${query({ where: words, limit })}`,
  },
  {
    name: "20 documents with two references",
    amount: 3_000,
    connections: 16,
    generated: () => query({ limit, expand: "customer,agent" }),
    handwritten: () => `/expand${query({ limit })}`,
  },
  {
    name: "aggregation by month of 100,000",
    amount: 12,
    connections: 2,
    generated: () => `/_aggregate${query({ group_by: "due_at:month", metrics: "count,sum:hours" })}`,
    handwritten: () => "/months",
  },
  {
    name: "the same in Europe/Berlin",
    amount: 12,
    connections: 2,
    generated: () =>
      `/_aggregate${query({ group_by: "due_at:month", metrics: "count,sum:hours", tz: "Europe/Berlin" })}`,
    handwritten: () => `/months${query({ tz: "Europe/Berlin" })}`,
  },
];
