import fc from "fast-check";
import type { Description, Operation } from "./description.ts";
import { badQueries, goodQueries, type Pairs } from "./queries.ts";
import { fitting, spoilt } from "./values.ts";

export const callers = [
  "anonymous",
  "user",
  "boss",
  "auditor",
  "key",
  "reader",
  "areas",
  "delegate",
  "ended",
  "foreign",
] as const;

/**
 * `boss`: a user with every role; `auditor`: one with the roles that administer by looking; `reader`: a key with scopes;
 * `areas`: one with scopes and some administration; `delegate`: one that acts for the user; `ended`: a session that is
 * over; `foreign`: another realm's key.
 */
export type CallerName = (typeof callers)[number];

/** A request to one operation, as far as it does not depend on what the server holds. */
export interface Plan {
  readonly caller: CallerName;
  /** Which of the known ids, or of those that name nothing. */
  readonly pick: number;
  readonly query: Pairs;
  /** Made to be taken, to be refused, or neither. */
  readonly queried: "good" | "bad" | undefined;
  /** Instead of the query: one whose answer had a cursor, with that. */
  readonly next: boolean;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: PlannedBody | undefined;
}

export interface PlannedBody {
  readonly media: string;
  readonly text: string;
}

/**
 * The same plans for the same seed. A third are ordinary requests or have one twist; the rest are anything. Of reads with a
 * query, most are about that.
 */
export function plans(
  description: Description,
  operation: Operation,
  number: number,
  seed: number,
): readonly Plan[] {
  const usual = fc.constant(usualCaller(operation));
  const good = goodBody(description, operation);
  const plain = { queried: undefined, next: false } as const;
  const ordinary = fc.record({ caller: usual, pick: fc.noBias(fc.nat()), body: good }).map(
    ({ pick, ...plan }): Plan => ({
      ...plan,
      ...plain,
      pick,
      query: operation.method === "POST" ? twistedQuery(twistOf(pick)) : [],
      headers: twistOf(pick) === "key" && operation.method === "POST" ? { "idempotency-key": "a" } : {},
    }),
  );
  const wild: fc.Arbitrary<Plan> = fc
    .record({
      caller: fc.oneof(usual, fc.constantFrom(...callers)),
      pick: fc.noBias(fc.nat()),
      query: query(description, operation),
      headers: headers(operation),
      body: fc.oneof(good, badBody(description, operation)),
    })
    .map((plan): Plan => ({ ...plan, ...plain }));
  const mixed = [
    { arbitrary: ordinary, weight: 1 },
    { arbitrary: wild, weight: 2 },
  ];
  if (operation.method === "GET" && operation.query.length > 0) {
    mixed.push({ arbitrary: queried(description, operation), weight: 5 });
  }
  return fc.sample(fc.oneof(...mixed), { numRuns: number, seed });
}

/** Reads that are about their query, mostly of one who may read everything. */
function queried(description: Description, operation: Operation): fc.Arbitrary<Plan> {
  const usual = fc.constant(usualCaller(operation));
  const common = {
    pick: fc.noBias(fc.nat()),
    headers: fc.constant({}),
    body: fc.constant(undefined),
  };
  const made = (query: fc.Arbitrary<Pairs>, verdict: "good" | "bad", next = false) =>
    fc.record({
      ...common,
      caller: fc.oneof({ arbitrary: usual, weight: 3 }, fc.constantFrom(...callers)),
      query,
      queried: fc.constant(verdict),
      next: fc.constant(next),
    });
  const known = operation.query.some(({ name }) => name === "after");
  return fc.oneof(
    { arbitrary: made(goodQueries(description, operation), "good"), weight: 5 },
    { arbitrary: made(badQueries(description, operation), "bad"), weight: 3 },
    ...(known ? [made(fc.constant([]), "good", true)] : []),
  );
}

const twists = [
  "existing id",
  "no id",
  "existing values",
  "existing values",
  "key",
  "key",
  "org",
  "team",
] as const;

/** What is out of the ordinary about a request, if anything. */
export function twistOf(pick: number): (typeof twists)[number] | undefined {
  return twists[pick % 16];
}

function twistedQuery(twist: ReturnType<typeof twistOf>): Plan["query"] {
  return twist === "org" || twist === "team" ? [[twist, "x"]] : [];
}

/** Who may do most with it. */
function usualCaller({ path, method, query }: Operation): CallerName {
  if (/\/_(?:auth|orgs)(?:\/|$)/.test(path)) return "user";
  // Whose handler works by the rights of its caller.
  if (/\/_func\//.test(path)) return "boss";
  // Keys by themselves are members of no organization.
  const isInside = method === "POST" && query.some(({ name }) => name === "org");
  return isInside && !path.includes("/_admin/") ? "boss" : "key";
}

function query(description: Description, operation: Operation): fc.Arbitrary<Pairs> {
  const bad = fc.constantFrom<Pairs[number][]>(
    ["unheard_of", "1"],
    ["limit", "0"],
    ["limit", "101"],
    ["skip", "-1"],
    ["count", "yes"],
    ["deleted", "some"],
    ["purge", "1"],
    ["after", "nothing"],
    ["org", "x"],
    ["team", "x"],
    ["where", "{"],
    ["order_by", "unheard_of"],
    ["expand", "unheard_of"],
    ["group_by", "id"],
  );
  return fc.oneof(
    { arbitrary: fc.constant<Pairs>([]), weight: 6 },
    { arbitrary: goodQueries(description, operation), weight: 3 },
    { arbitrary: fc.array(bad, { minLength: 1, maxLength: 2 }), weight: 1 },
  );
}

function headers({ method }: Operation): fc.Arbitrary<Record<string, string>> {
  const sometimes = (name: string, ...values: readonly string[]) =>
    fc.oneof(
      { arbitrary: fc.constant({}), weight: 3 },
      fc.constantFrom(...values).map((value) => ({ [name]: value })),
    );
  const parts = [sometimes("x-request-id", "mine-1", "not mine", "x".repeat(129))];
  if (method === "GET") parts.push(sometimes("if-none-match", "*", '"1"', '"2", W/"x"', "garbage"));
  else parts.push(sometimes("if-match", "*", '"1"', '"2"', '"1","2"', 'W/"1"', "1", "garbage"));
  if (method === "POST") {
    const keys = ["a", "a", "not one", "x".repeat(201)].map((key) => ({ "idempotency-key": key }));
    parts.push(fc.constantFrom<Record<string, string>[]>({}, ...keys));
  }
  const acting = { arbitrary: fc.constant({ "x-svc-on-behalf-of": "somebody" }), weight: 1 };
  parts.push(fc.oneof({ arbitrary: fc.constant({}), weight: 30 }, acting));
  return fc.tuple(...parts).map((all) => Object.assign({}, ...all));
}

function goodBody(description: Description, { bodies }: Operation): fc.Arbitrary<PlannedBody | undefined> {
  const [described] = bodies;
  if (described === undefined) return fc.constant(undefined);
  const [media, { schema }] = described;
  return fitting(description, schema).map((value) => ({ media, text: JSON.stringify(value) }));
}

function badBody(
  description: Description,
  { method, bodies }: Operation,
): fc.Arbitrary<PlannedBody | undefined> {
  const [[media, { schema }] = ["application/json", { schema: {} }]] = bodies;
  if (method === "GET" || method === "DELETE") return fc.constant(undefined);
  const values = spoilt(fitting(description, schema));
  const others = [
    undefined,
    { media, text: "{}" },
    { media, text: "{" },
    { media, text: "[]" },
    { media, text: "" },
    { media, text: '{"a":"\\ud800"}' },
    { media, text: '{"$a":1,"b.c":2}' },
    { media, text: "x".repeat(1_048_577) },
    { media: "text/plain", text: "{}" },
    { media: `${media}; charset=latin1`, text: "{}" },
  ];
  return fc.oneof(
    { arbitrary: values.map((value) => ({ media, text: JSON.stringify(value) })), weight: 2 },
    fc.constantFrom(...others),
  );
}
