import { randomInt } from "node:crypto";
import autocannon from "autocannon";
import type { MeasuredServer } from "./servers.ts";

/** One row of the report: a kind of request, sent many times by 64 connections. */
export interface Row {
  readonly name: string;
  /** Requests in one measured run. */
  readonly amount: number;
  readonly status: number;
  /** Documents that a run uses up, made before it. */
  readonly consumes: boolean;
  request(target: Target): Request;
}

interface Request {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** What requests are made for. */
export interface Target {
  readonly path: string;
  readonly batch: string;
  /** Of the database's functions. */
  readonly functions: string;
  /** Some document's id. */
  any(): string;
  /** A document's id, never given again. */
  next(): string;
}

let serial = 0;

/** Different names that documents have. */
const names = 40;
const nameOf = (size: number) => `Adjustable spanner, size ${size}`;
const byName = (size: number) => encodeURIComponent(JSON.stringify({ name: nameOf(size) }));

/** A document of about 500 bytes; its sku is unique in this process. */
export function item(): object {
  serial++;
  return {
    sku: `SKU-${serial.toString(36).toUpperCase().padStart(8, "0")}`,
    name: nameOf(serial % names),
    status: "active",
    price: (serial % 9973) / 100,
    stock: serial % 500,
    tags: ["tools", "metal", `series-${serial % 12}`],
    supplier: { name: "Hoffmann & Daughters", country: "DE" },
    description:
      "Forged chrome vanadium steel with a hardened jaw, a laser-cut scale and a soft grip. ".repeat(3),
  };
}

const json = { "content-type": "application/json" };
const mergePatch = { "content-type": "application/merge-patch+json" };

export const rows: readonly Row[] = [
  {
    name: "get by id",
    amount: 20_000,
    status: 200,
    consumes: false,
    request: ({ path, any }) => ({ method: "GET", path: `${path}/${any()}` }),
  },
  {
    name: "304",
    amount: 20_000,
    status: 304,
    consumes: true,
    request: ({ path, next }) => ({
      method: "GET",
      path: `${path}/${next()}`,
      headers: { "if-none-match": '"1"' },
    }),
  },
  {
    name: "list of 20",
    amount: 6_000,
    status: 200,
    consumes: false,
    // The first page, as most clients ask for; documents skipped would be judged by the read rule as well.
    request: ({ path }) => ({ method: "GET", path: `${path}?limit=20` }),
  },
  {
    name: "list of 20 by an indexed field",
    amount: 6_000,
    status: 200,
    consumes: false,
    request: ({ path }) => ({ method: "GET", path: `${path}?limit=20&where=${byName(randomInt(names))}` }),
  },
  {
    name: "create",
    amount: 10_000,
    status: 201,
    consumes: false,
    request: ({ path }) => ({ method: "POST", path, headers: json, body: JSON.stringify(item()) }),
  },
  {
    name: "replace",
    amount: 10_000,
    status: 200,
    consumes: true,
    request: ({ path, next }) => ({
      method: "PUT",
      path: `${path}/${next()}`,
      headers: json,
      body: JSON.stringify(item()),
    }),
  },
  {
    name: "patch",
    amount: 10_000,
    status: 200,
    consumes: true,
    request: ({ path, next }) => ({
      method: "PATCH",
      path: `${path}/${next()}`,
      headers: mergePatch,
      body: JSON.stringify({ stock: randomInt(500), supplier: { name: "Hoffmann" } }),
    }),
  },
  {
    name: "delete",
    amount: 10_000,
    status: 204,
    consumes: true,
    request: ({ path, next }) => ({ method: "DELETE", path: `${path}/${next()}` }),
  },
  {
    name: "delete, 404",
    amount: 10_000,
    status: 404,
    consumes: false,
    request: ({ path, any }) => ({ method: "DELETE", path: `${path}/${any()}x` }),
  },
  {
    name: "batch of 100",
    amount: 200,
    status: 200,
    consumes: false,
    request: ({ batch }) => ({ method: "POST", path: batch, headers: json, body: batchOf(100) }),
  },
];

export const helloRow: Row = {
  name: "hello",
  amount: 20_000,
  status: 200,
  consumes: false,
  request: () => ({ method: "GET", path: "/" }),
};

function batchOf(count: number): string {
  const operations = Array.from({ length: count }, () => ({
    op: "create",
    collection: "items",
    document: item(),
  }));
  return JSON.stringify({ operations });
}

/** Makes `count` documents (a multiple of 100) and answers their ids. */
export async function seed(server: MeasuredServer, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let made = 0; made < count; made += 100) {
    const answer = await fetch(`${server.url}/v1/${server.realm}/shop/_batch`, {
      method: "POST",
      headers: { ...json, ...server.headers },
      body: batchOf(100),
    });
    const text = await answer.text();
    if (answer.status !== 200)
      throw new Error(`${server.name}: seeding answered ${answer.status} ${text.slice(0, 300)}`);
    const { results }: { results: { id: string }[] } = JSON.parse(text);
    for (const { id } of results) ids.push(id);
  }
  return ids;
}

export interface Measure {
  /** Microseconds of processor time a request. */
  readonly cpu: number;
  readonly perSecond: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** Bytes, after the run. */
  readonly rss: number;
}

/** Runs one row once against one server. `ids` are documents that stay. */
export async function measure(
  server: MeasuredServer,
  row: Row,
  ids: readonly string[],
  amount: number,
): Promise<Measure> {
  const fresh = row.consumes ? await seed(server, Math.ceil(amount / 100) * 100 + 100) : [];
  let used = 0;
  const target: Target = {
    path: `/v1/${server.realm}/shop/items`,
    batch: `/v1/${server.realm}/shop/_batch`,
    functions: `/v1/${server.realm}/shop/_func`,
    any: () => ids[randomInt(ids.length)] ?? "",
    next: () => fresh[used++ % fresh.length] ?? "",
  };
  const before = await server.usage();
  const result = await autocannon({
    url: server.url,
    connections: Math.min(64, amount),
    timeout: 60,
    sampleInt: 20,
    amount,
    requests: [
      {
        setupRequest: (request) => {
          const { headers, ...own } = row.request(target);
          return { ...request, ...own, headers: { ...server.headers, ...headers } };
        },
      },
    ],
  });
  const after = await server.usage();
  const wrong = Object.entries(result.statusCodeStats ?? {}).filter(
    ([status]) => Number(status) !== row.status,
  );
  if (wrong.length > 0 || result.errors > 0) {
    throw new Error(
      `${server.name}, ${row.name}: answered ${JSON.stringify(result.statusCodeStats)}, ${result.errors} errors`,
    );
  }
  return {
    cpu: (after.cpu - before.cpu) / amount,
    perSecond: amount / ((result.finish.getTime() - result.start.getTime()) / 1000),
    p50: result.latency.p50,
    p99: result.latency.p99,
    rss: after.rss,
  };
}
