/** What clients saw, for `check` to judge. Times are those of the process that all clients run in. */
export interface History {
  readonly reads: readonly Read[];
  readonly updates: readonly Update[];
  readonly batches: readonly Batch[];
  readonly creates: readonly Create[];
}

/** A document as somebody saw it, by an answer to a read or a write. */
export interface Read {
  readonly id: string;
  readonly version: number;
  readonly value: string;
  readonly begun: number;
  readonly ended: number;
}

/** `unknown`: the connection broke, or the server could not tell. */
export type Outcome = "done" | "refused" | "unknown";

/** A conditional write of a value that is written nowhere else. */
export interface Update {
  readonly id: string;
  readonly value: string;
  /** The version that it asked for. */
  readonly expected: number;
  readonly outcome: Outcome;
}

/** One value written to all documents of the group. */
export interface Batch {
  readonly value: string;
  readonly outcome: Outcome;
}

/** A create with an idempotency key, tried until its outcome was known or the run was over. */
export interface Create {
  readonly value: string;
  /** Ids that answers named. */
  readonly ids: readonly string[];
}

/** What is stored when all is over. */
export interface Final {
  /** The shared documents, those of the group among them. */
  readonly shared: readonly { readonly id: string; readonly version: number; readonly value: string }[];
  readonly group: readonly string[];
  /** Documents made with keys. */
  readonly created: readonly { readonly id: string; readonly value: string }[];
}

/**
 * Judges a history: every acknowledged write is there, versions of a document are one order for everybody, nobody reads
 * less than was acknowledged before, batches are whole, and what was created with a key is there once.
 * @returns what is wrong; empty when all is well
 */
export function check(history: History, final: Final): readonly string[] {
  return [
    ...final.shared.flatMap((document) => checkVersions(history, document, final.group)),
    ...final.shared.flatMap(({ id }) => checkReads(history.reads.filter((read) => read.id === id))),
    ...checkBatches(history, final),
    ...checkCreates(history, final),
  ];
}

function checkVersions(
  { reads, updates, batches }: History,
  { id, version, value }: Final["shared"][number],
  group: readonly string[],
): readonly string[] {
  const problems: string[] = [];
  const own = updates.filter((update) => update.id === id);
  const writes = group.includes(id) ? batches : own;
  const values = new Map<number, string>([[version, value]]);
  for (const read of reads.filter((one) => one.id === id)) {
    const known = values.get(read.version);
    if (known !== undefined && known !== read.value)
      problems.push(`${id}: version ${read.version} was ${known} for one and ${read.value} for another`);
    values.set(read.version, read.value);
    if (read.version > version)
      problems.push(`${id}: version ${read.version} was seen, ${version} is stored`);
  }
  for (const update of own) {
    const [made, ...more] = [...values].filter(([, seen]) => seen === update.value).map(([at]) => at);
    if (more.length > 0) problems.push(`${id}: ${update.value} was written more than once`);
    if (update.outcome === "refused" && made !== undefined)
      problems.push(`${id}: ${update.value} was refused, and is there as version ${made}`);
    if (update.outcome === "done" && values.get(update.expected + 1) !== update.value)
      problems.push(
        `${id}: ${update.value} was acknowledged as version ${update.expected + 1}, and is not it`,
      );
  }
  if (version > 1 && !writes.some((write) => write.value === value))
    problems.push(`${id}: ${value}, which is stored, nobody wrote`);
  const possible = writes.filter(({ outcome }) => outcome !== "refused").length;
  const certain = writes.filter(({ outcome }) => outcome === "done").length;
  if (version - 1 > possible || version - 1 < certain)
    problems.push(`${id}: version ${version} after ${certain} to ${possible} writes`);
  return problems;
}

/** Who begins to read after somebody else has seen a version sees no earlier one. */
function checkReads(reads: readonly Read[]): readonly string[] {
  const ended = [...reads].sort((one, other) => one.ended - other.ended);
  const begun = [...reads].sort((one, other) => one.begun - other.begun);
  const problems: string[] = [];
  let newest = 0;
  let at = 0;
  for (const read of begun) {
    for (let earlier = ended[at]; earlier !== undefined && earlier.ended < read.begun; earlier = ended[at]) {
      newest = Math.max(newest, earlier.version);
      at += 1;
    }
    if (read.version < newest)
      problems.push(`${read.id}: version ${read.version} was read after version ${newest} had been seen`);
  }
  return problems;
}

function checkBatches({ batches }: History, { shared, group }: Final): readonly string[] {
  const members = shared.filter(({ id }) => group.includes(id));
  const states = new Set(members.map(({ version, value }) => `${value} (version ${version})`));
  const problems: string[] = [];
  if (states.size > 1) problems.push(`the group differs: ${[...states].join(", ")}`);
  for (const { value, outcome } of batches) {
    if (outcome === "refused" && members.some((member) => member.value === value))
      problems.push(`batch ${value} was refused, and is there`);
  }
  return problems;
}

function checkCreates({ creates }: History, { created }: Final): readonly string[] {
  const problems: string[] = [];
  for (const { value, ids } of creates) {
    const stored = created.filter((document) => document.value === value).map(({ id }) => id);
    if (stored.length > 1) problems.push(`${value} was created ${stored.length} times`);
    if (new Set(ids).size > 1) problems.push(`${value} was answered with ids ${ids.join(", ")}`);
    const [id] = ids;
    if (id !== undefined && stored[0] !== id)
      problems.push(`${value} was acknowledged as ${id}, and is not there`);
  }
  return problems;
}
