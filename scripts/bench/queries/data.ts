/** The data of the query benchmark: the same for every server, from a fixed seed. */

export const TICKETS = 100_000;
const CUSTOMERS = 2_000;
const AGENTS = 50;
const YEAR = 365 * 24 * 3600 * 1000;

const words =
  "printer fire paper jam network cable slow crash login password reset screen mouse keyboard noise smoke update driver email attachment calendar meeting room projector license install remove backup restore disk full memory battery charger".split(
    " ",
  );
const statuses = ["open", "pending", "solved", "closed"];

export interface Batch {
  readonly collection: string;
  readonly documents: readonly Readonly<Record<string, unknown>>[];
}

/** Everything that is stored, a hundred documents of one collection at a time. */
export function* batches(): Generator<Batch> {
  const random = generator(20_261_121);
  const pick = (from: readonly string[]): string => from[Math.floor(random() * from.length)] ?? "";
  const text = (length: number): string => Array.from({ length }, () => pick(words)).join(" ");
  yield* hundreds("customers", CUSTOMERS, (at) => person("customer", at));
  yield* hundreds("agents", AGENTS, (at) => person("agent", at));
  yield* hundreds("tickets", TICKETS, (at) => ({
    subject: text(5),
    body: text(50),
    status: pick(statuses),
    reporter: { email: email(at), name: `Reporter ${at}` },
    hours: Math.round(random() * 400) / 10,
    due_at: new Date(Date.UTC(2025, 0, 1) + Math.floor((random() * YEAR) / 1000) * 1000).toISOString(),
    customer_id: `customer-${Math.floor(random() * CUSTOMERS)}`,
    agent_id: `agent-${Math.floor(random() * AGENTS)}`,
  }));
}

/** Of one ticket each. */
export function email(at: number): string {
  return `reporter-${at}@example.com`;
}

function person(kind: string, at: number): Readonly<Record<string, unknown>> {
  return {
    id: `${kind}-${at}`,
    name: `${kind} number ${at}`,
    email: `${kind}-${at}@example.com`,
    city: "Bern",
  };
}

function* hundreds(
  collection: string,
  count: number,
  document: (at: number) => Readonly<Record<string, unknown>>,
): Generator<Batch> {
  for (let from = 0; from < count; from += 100) {
    const length = Math.min(100, count - from);
    yield { collection, documents: Array.from({ length }, (_, at) => document(from + at)) };
  }
}

/** Numbers from 0 to below 1, always the same (mulberry32). */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
