// What organizations cost a list: 20 of 100,000 documents that belong to 1,000 organizations, with the read rule
// `inOrg(document._meta.org)`, for a member of one, of 20 and of 200 of them, and 20 of 100,000 documents that everybody may
// read, in one process.
import { middle } from "./middle.ts";
import type { Place } from "./place.ts";
import { type MeasuredServer, startGenerated } from "./servers.ts";
import { type Measure, measure, type Row } from "./workload.ts";

interface Options {
  readonly place: Place;
  readonly bundle: string;
  readonly rounds: number;
  readonly scale: number;
}

const DOCUMENTS = 100_000;
const ORGANIZATIONS = 1_000;

/** How many organizations each of them belongs to; the last has the rest, so that all documents have somebody. */
const belongings = [1, 20, 200, ORGANIZATIONS - 221];

/** Requests on the way at a time while documents are stored. */
const AT_ONCE = 8;

interface Compared {
  readonly name: string;
  readonly server: MeasuredServer;
  readonly row: Row;
}

export async function organizationBenchmark({ place, bundle, rounds, scale }: Options): Promise<void> {
  const server = await startGenerated(bundle, place, "organizations");
  try {
    process.stderr.write(`\rstoring documents of ${ORGANIZATIONS} organizations          `);
    const [one, some, many] = await store(server);
    const compared: readonly Compared[] = [
      { name: "no organizations", server: as(server, one), row: listOf(server, "notes") },
      { name: "a member of 1", server: as(server, one), row: listOf(server, "tickets") },
      { name: "a member of 20", server: as(server, some), row: listOf(server, "tickets") },
      { name: "a member of 200", server: as(server, many), row: listOf(server, "tickets") },
    ];
    const measured = new Map<Compared, Measure[]>(compared.map((each) => [each, []]));
    // The first round warms up. The order changes, so that none always comes first.
    for (let round = -1; round < rounds; round++) {
      for (const each of round % 2 === 0 ? compared : compared.toReversed()) {
        const measure = await measureOne(each, scale);
        if (round >= 0) measured.get(each)?.push(measure);
      }
      process.stderr.write(`\rorganizations, round ${round + 1} of ${rounds}                    `);
    }
    process.stderr.write("\n");
    report(measured, rounds);
  } finally {
    await server.stop();
  }
}

function measureOne({ server, row }: Compared, scale: number): Promise<Measure> {
  return measure(server, row, [], Math.round(row.amount * scale));
}

function listOf({ realm }: MeasuredServer, collection: string): Row {
  const path = `/v1/${realm}/desk/${collection}?limit=20`;
  const request = () => ({ method: "GET", path }) as const;
  return { name: "list of 20", amount: 20_000, status: 200, consumes: false, request };
}

function as(server: MeasuredServer, token = ""): MeasuredServer {
  return { ...server, headers: { authorization: `Bearer ${token}` } };
}

/** Stores everything; answers the sessions of those who belong to one, some, many and the other organizations. */
async function store(server: MeasuredServer): Promise<readonly string[]> {
  const tokens: string[] = [];
  const places: { readonly token: string; readonly org: string }[] = [];
  for (const [at, count] of belongings.entries()) {
    const email = `bench${at}@example.com`;
    const answer = await post(server, "_auth/signup", { email, password: "correct horse battery" });
    const token = member(answer["session"], "token");
    tokens.push(token);
    for (let made = 0; made < count; made++) {
      const org = await post(server, "_orgs", { name: `Company ${at}-${made}` }, token);
      places.push({ token, org: member(org, "id") });
    }
  }
  await inParallel(writes(server, mixed(places)));
  return tokens;
}

/** Another order, the same each time, in which neighbours are apart: nobody's organizations write all at once. */
function mixed<T>(all: readonly T[]): readonly T[] {
  const step = 389;
  return all.flatMap((_, at) => all[(at * step) % all.length] ?? []);
}

/** Ten times ten documents for every organization, in turn, so that those of each lie scattered; as many of none. */
function* writes(
  server: MeasuredServer,
  places: readonly { readonly token: string; readonly org: string }[],
): Generator<() => Promise<unknown>> {
  const perTurn = 10;
  for (let turn = 0; turn < DOCUMENTS / ORGANIZATIONS / perTurn; turn++) {
    for (const { token, org } of places) {
      yield () => post(server, `desk/_batch?org=${org}`, creates("tickets", perTurn), token);
    }
  }
  const token = places[0]?.token;
  for (let made = 0; made < DOCUMENTS; made += 100) {
    yield () => post(server, "desk/_batch", creates("notes", 100), token);
  }
}

async function inParallel(work: Iterable<() => Promise<unknown>>): Promise<void> {
  const all = work[Symbol.iterator]();
  const worker = async () => {
    for (let next = all.next(); next.done !== true; next = all.next()) await next.value();
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

let serial = 0;

function creates(collection: string, count: number): Readonly<Record<string, unknown>> {
  const operations = Array.from({ length: count }, () => {
    serial++;
    const body =
      "The printer on the second floor jams whenever somebody prints more than ten pages at a time. ".repeat(
        4,
      );
    const document = { subject: `Paper jam, report ${serial}`, body, status: "open" };
    return { op: "create", collection, document };
  });
  return { operations };
}

async function post(
  { url, realm }: MeasuredServer,
  path: string,
  body: Readonly<Record<string, unknown>>,
  token?: string,
): Promise<Readonly<Record<string, unknown>>> {
  const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const answer = await fetch(`${url}/v1/${realm}/${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...authorization },
    body: JSON.stringify(body),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${path} answered ${answer.status} ${text.slice(0, 300)}`);
  const parsed: unknown = JSON.parse(text);
  if (!isRecord(parsed)) throw new Error(`${path} answered ${text.slice(0, 300)}`);
  return parsed;
}

function member(of: unknown, name: string): string {
  const value = isRecord(of) ? of[name] : undefined;
  if (typeof value !== "string") throw new Error(`no ${name} in the answer`);
  return value;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

function report(measured: ReadonlyMap<Compared, readonly Measure[]>, rounds: number): void {
  const [base = []] = measured.values();
  console.log(
    "\n| list of 20, with | CPU µs/request | requests/s | throughput | CPU |\n|---|---:|---:|---:|---:|",
  );
  for (const [{ name }, all] of measured) {
    const ratio = (of: (one: Measure, its: Measure) => number): string =>
      middle(all.map((one, round) => of(one, base[round] ?? one))).toFixed(2);
    const cells = [
      middle(all.map(({ cpu }) => cpu)).toFixed(1),
      middle(all.map(({ perSecond }) => perSecond)).toFixed(0),
      ratio((one, its) => one.perSecond / its.perSecond),
      ratio((one, its) => its.cpu / one.cpu),
    ];
    console.log(`| ${name} | ${cells.join(" | ")} |`);
  }
  console.log(
    `\nMedians of ${rounds} rounds, against the collection without organizations in the same round and process; above 1 is better.`,
  );
}
