import type { Outcome, Run, Runner, RunnerFigures } from "../invocation.ts";

interface Generation {
  readonly runner: Runner;
  runs: number;
  isOld: boolean;
}

/**
 * A runner that can be followed by another of its kind: what is begun from then on is run by that one, what is under way
 * ends with the one before.
 */
export class RenewedRunner implements Runner {
  readonly #make: () => Runner;
  readonly #generations = new Set<Generation>();
  #current: Generation;

  constructor(make: () => Runner) {
    this.#make = make;
    this.#current = this.#begin();
  }

  get figures(): RunnerFigures {
    const all = Array.from(this.#generations, ({ runner }) => runner.figures);
    const sum = (name: keyof RunnerFigures) => all.reduce((total, figures) => total + figures[name], 0);
    return { workers: sum("workers"), busy: sum("busy"), queued: sum("queued") };
  }

  async run(run: Run): Promise<Outcome> {
    const generation = this.#current;
    generation.runs += 1;
    try {
      return await generation.runner.run(run);
    } finally {
      generation.runs -= 1;
      this.#end(generation);
    }
  }

  renew(): void {
    const before = this.#current;
    before.isOld = true;
    this.#current = this.#begin();
    this.#end(before);
  }

  async close(): Promise<void> {
    await Promise.all(Array.from(this.#generations, ({ runner }) => runner.close()));
  }

  #begin(): Generation {
    const generation = { runner: this.#make(), runs: 0, isOld: false };
    this.#generations.add(generation);
    return generation;
  }

  /** Ends one whose last run is over. */
  #end(generation: Generation): void {
    if (!generation.isOld || generation.runs > 0 || !this.#generations.delete(generation)) return;
    generation.runner.close().catch(() => undefined);
  }
}
