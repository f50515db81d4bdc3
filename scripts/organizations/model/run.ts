import type { RealmModule } from "../../../runtime/realm/exchange.ts";
import { equal } from "../../../runtime/validation/equal.ts";
import { applied } from "./apply.ts";
import { draw } from "./draw.ts";
import { violations } from "./invariants.ts";
import { print, type Step } from "./operations.ts";
import { Random } from "./prng.ts";
import { Handles, perform } from "./requests.ts";
import { begin, startTenants, type Tenants } from "./tenants.ts";
import { kindsOf } from "./themes.ts";
import { expected, observed, type Views } from "./views.ts";
import type { World } from "./world.ts";

/** A step after which the server is not as it should be. */
export interface Failure {
  readonly steps: readonly Step[];
  /** In words. */
  readonly faults: readonly string[];
}

/** Where the steps of a run come from: undefined ends it. */
type Next = (world: World, at: number) => Step | undefined;

/** Does steps on a server of their own until one fails. */
async function run(
  module: RealmModule,
  next: Next,
  count: (step: Step, outcomes: readonly string[]) => void,
): Promise<Failure | undefined> {
  const server = await startTenants(module);
  try {
    let world = await begin(server);
    const handles = new Handles();
    const steps: Step[] = [];
    for (;;) {
      const step = next(world, steps.length);
      if (step === undefined) return undefined;
      steps.push(step);
      const outcomes = await Promise.all(step.map((operation) => perform(server, world, handles, operation)));
      count(step, outcomes);
      const judged = await judge(server, handles, world, step, steps.length, outcomes);
      if (judged.faults.length > 0) return { steps, faults: judged.faults };
      world = judged.world;
    }
  } finally {
    await server.stop();
  }
}

/** Every order that a step's operations could have been done in one after another, as the model has it. */
function orders(
  world: World,
  step: Step,
): readonly { readonly outcomes: readonly string[]; readonly world: World }[] {
  return permutations(step.map((_, at) => at)).map((order) => {
    const outcomes: string[] = [];
    let after = world;
    for (const at of order) {
      const operation = step[at];
      if (operation === undefined) continue;
      const { outcome, world: next } = applied(after, operation);
      outcomes[at] = outcome;
      after = next;
    }
    return { outcomes, world: after };
  });
}

function permutations(places: readonly number[]): readonly (readonly number[])[] {
  if (places.length < 2) return [places];
  return places.flatMap((first) =>
    permutations(places.filter((each) => each !== first)).map((rest) => [first, ...rest]),
  );
}

/** The world after a step, if it is one that the model knows; else what is wrong. */
async function judge(
  server: Tenants,
  handles: Handles,
  before: World,
  step: Step,
  at: number,
  outcomes: readonly string[],
): Promise<{ readonly world: World; readonly faults: readonly string[] }> {
  const known = orders(before, step);
  const answered = known.filter((each) => each.outcomes.every((foreseen, at) => foreseen === outcomes[at]));
  const [first] = answered;
  if (first === undefined) {
    const foreseen = known.map((each) => each.outcomes.join(", ")).join(" or ");
    return { world: before, faults: [`answered ${outcomes.join(", ")} instead of ${foreseen}`] };
  }
  const near = nearTo(first.world, step, at);
  const seen = await observed(server, first.world, handles, near);
  const found = answered.find(({ world }) => equal(seen, expected(world, handles, near)));
  const unmanaged = [...(found ?? first).world.orgs].filter(([, { returned }]) => returned);
  const broken = await violations(
    server.store("tenants"),
    server.clock.now(),
    new Set(unmanaged.map(([id]) => handles.id(id))),
  );
  if (found !== undefined) return { world: found.world, faults: broken };
  return {
    world: first.world,
    faults: [...broken, ...differences(seen, expected(first.world, handles, near))],
  };
}

/** The organizations that a step names, and one of the others after another. */
function nearTo({ orgs }: World, step: Step, at: number): ReadonlySet<string> {
  const all = [...orgs.keys()];
  const named = step.flatMap((operation) => ("org" in operation && operation.org) || []);
  return new Set([...named, ...all.filter((_, place) => place === at % all.length)]);
}

function differences(seen: Views, foreseen: Views): readonly string[] {
  return Object.keys({ ...seen, ...foreseen })
    .filter((title) => !equal(seen[title] ?? null, foreseen[title] ?? null))
    .map(
      (title) =>
        `${title}:\n    is ${JSON.stringify(seen[title])}\n    not ${JSON.stringify(foreseen[title])}`,
    );
}

/** Does random steps. */
export function runRandom(
  module: RealmModule,
  seed: number,
  length: number,
  count: Parameters<typeof run>[2],
): Promise<Failure | undefined> {
  const random = new Random(seed);
  const kinds = kindsOf(seed);
  return run(module, (world, at) => (at < length ? draw(random, world, at, kinds) : undefined), count);
}

/** Runs allowed to make a failing sequence shorter. */
const attempts = 60;

/** A shorter sequence that fails too, by leaving out ever smaller parts. */
export async function shrink(module: RealmModule, failure: Failure): Promise<Failure> {
  let best = failure;
  let left = attempts;
  for (let part = Math.ceil(best.steps.length / 2); part >= 1; part = part === 1 ? 0 : Math.ceil(part / 2)) {
    for (let at = best.steps.length - part - 1; at >= 0 && left > 0; at -= part) {
      left -= 1;
      const steps = [...best.steps.slice(0, at), ...best.steps.slice(at + part)];
      const shorter = await run(
        module,
        (_, place) => steps[place],
        () => undefined,
      );
      if (shorter !== undefined) best = shorter;
    }
  }
  return best;
}

export function report(seed: number, { steps, faults }: Failure): string {
  const lines = steps.map((step, at) => `${at + 1}. ${print(step)}`);
  return [`seed ${seed}, after these steps:`, ...lines, "the server is not as it should be:", ...faults].join(
    "\n",
  );
}
