/** A run of `realmc dev`: what changes is compiled, written, served and spoken of. */
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import type { Plan } from "../output/plan.ts";
import { applyDifference, compareOutput } from "../output/write.ts";
import type { ClientForm } from "../pipeline.ts";
import { type Output, WarmCompiler } from "./compile.ts";
import { type Explanation, explain } from "./explain.ts";
import type { Front } from "./front.ts";
import { changesBetween, type Inputs, readInputs } from "./inputs.ts";
import { Modules, type ProgramModule } from "./modules.ts";
import { type TestChange, WarmTests } from "./rule-tests.ts";
import { ServerFailed } from "./server-process.ts";
import { Servers } from "./servers.ts";
import type { Outcome } from "./story.ts";
import { type Watch, watchFolders } from "./watch.ts";

export interface SessionOptions {
  readonly config: string;
  readonly out: string;
  readonly client: ClientForm;
  readonly front: Front;
  /** Of server processes. */
  readonly environment: NodeJS.ProcessEnv;
  /** What to call administrators' keys that are made at the start; without: none are. */
  readonly key: string | undefined;
  readonly teller: Teller;
}

/** Says what happens. Times are in milliseconds, from the change to the answer. */
export interface Teller {
  diagnostics(found: readonly Diagnostic[]): void;
  /** The configuration has errors. */
  broken(serving: boolean): void;
  /** The first server answers; the keys made for it, by realm. */
  started(realms: readonly string[], keys: Readonly<Record<string, string>>, elapsed: number): void;
  rebuilt(what: Explanation, outcome: Outcome, elapsed: number): void;
  /** A server could not start. */
  failed(message: string, serving: boolean): void;
  /** A server ended by itself. */
  crashed(how: string, next: "restarting" | "waiting"): void;
  /** A rule refused a request: which one, and the clause that decided. */
  refused(line: string): void;
  /** What a change did to rule tests, said where it did something. */
  tested(change: TestChange): void;
  /** Output could not be written, or the like. */
  hindered(error: unknown): void;
}

/** What is served. */
interface Served {
  readonly inputs: Inputs;
  readonly output: Output;
  readonly program: ProgramModule;
}

export class Session {
  readonly #options: SessionOptions;
  readonly #compiler: WarmCompiler;
  readonly #modules: Modules;
  readonly #tests = new WarmTests();
  readonly #watch: Watch;
  readonly #servers: Promise<Servers>;
  /** What was looked at last; undefined where that led nowhere and is to be tried again. */
  #seen: Inputs | undefined;
  #served: Served | undefined;
  /** The diagnostics said last, as text. */
  #said = "[]";
  /** The server that was to be started last could not be. */
  #hasFailed = false;
  /** Since when something waits to be looked at. */
  #due: number | undefined;
  #working: Promise<void> = Promise.resolve();
  #closed = false;

  /** Begins at once. */
  constructor(options: SessionOptions) {
    const { config, out, client, front, environment, teller } = options;
    this.#options = options;
    this.#compiler = new WarmCompiler(config, out, client);
    this.#modules = new Modules(out);
    const crashed = teller.crashed.bind(teller);
    const refused = teller.refused.bind(teller);
    this.#servers = this.#modules
      .server(config)
      .then((script) => new Servers({ script, environment, front, crashed, refused }));
    // Who needs it hears of a failure.
    this.#servers.catch(() => undefined);
    this.#watch = watchFolders(config, (since) => this.#change(since));
    this.#change(0);
  }

  /** Stops watching and serving; requests under way are finished. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#watch.close();
    await this.#working;
    await (await this.#servers.catch(() => undefined))?.close();
    await this.#modules.close();
  }

  #change(since: number): void {
    const isWaiting = this.#due !== undefined;
    this.#due ??= since;
    if (isWaiting) return;
    this.#working = this.#working.then(async () => {
      const due = this.#due ?? since;
      this.#due = undefined;
      if (this.#closed) return;
      try {
        await this.#rebuild(due);
      } catch (error) {
        this.#seen = undefined;
        this.#options.teller.hindered(error);
      }
    });
  }

  async #rebuild(since: number): Promise<void> {
    const { config, front, teller } = this.#options;
    const inputs = this.#look();
    if (this.#seen !== undefined && changesBetween(this.#seen, inputs).length === 0) return;
    this.#seen = inputs;
    const { diagnostics, output } = await this.#compiler.compile(inputs);
    if (this.#closed) return;
    const mended = this.#say(diagnostics, output === undefined) || this.#hasFailed;
    if (output !== undefined) {
      await this.#serve({ inputs, output }, mended, since);
      return this.#test(output);
    }
    const isServing = this.#served !== undefined;
    if (!isServing) front.refuse(`The configuration in ${config} has errors; realmc dev shows them.`);
    teller.broken(isServing);
  }

  async #serve(next: Omit<Served, "program">, mended: boolean, since: number): Promise<void> {
    const { teller, key } = this.#options;
    const { plan, realms } = next.output;
    const before = this.#served;
    const servers = await this.#servers;
    const program = await this.#modules.program(next.output);
    if (this.#closed) return;
    const writing = this.#write(plan);
    const restart = !servers.serving || program.text !== before?.program.text;
    const renew = !restart && program.handlers !== before.program.handlers;
    try {
      if (restart) await this.#modules.seeds(this.#options.config);
      const keys = restart ? await servers.serve(program, before === undefined ? key : undefined) : {};
      if (renew) await servers.renew();
      if (!restart && program.explanations !== before.program.explanations) await servers.explain(program);
      this.#served = { ...next, program };
      this.#hasFailed = false;
      if (this.#closed) return;
      const elapsed = performance.now() - since;
      if (before === undefined) return teller.started([...realms.keys()], keys, elapsed);
      const changes = changesBetween(before.inputs, next.inputs);
      const served = restart ? "restarted" : renew ? "renewed" : "same";
      teller.rebuilt(explain(before.output.realms, realms, changes), { served, mended }, elapsed);
    } catch (error) {
      if (!(error instanceof ServerFailed)) throw error;
      if (this.#closed) return;
      this.#seen = undefined;
      this.#hasFailed = true;
      teller.failed(error.message, servers.serving);
    } finally {
      await writing;
    }
  }

  /** After the change is served, which nobody has to wait for. */
  async #test({ realms }: Output): Promise<void> {
    if (this.#closed) return;
    const change = await this.#tests.run(realms);
    if (change !== undefined && !this.#closed) this.#options.teller.tested(change);
  }

  /** Writes beside the server's start, which does not need the files. */
  async #write(plan: Plan): Promise<void> {
    const { out, teller } = this.#options;
    try {
      await applyDifference(out, await compareOutput(out, plan));
    } catch (error) {
      teller.hindered(error);
    }
  }

  /** Looks at the configuration until all of its folders are watched. */
  #look(): Inputs {
    for (;;) {
      const inputs = readInputs(this.#options.config);
      if (!this.#watch.follow(inputs.folders)) return inputs;
    }
  }

  /** Says what is wrong, warnings once; answers whether what was said before is over. */
  #say(diagnostics: readonly Diagnostic[], broken: boolean): boolean {
    const text = JSON.stringify(diagnostics);
    const before = this.#said;
    this.#said = text;
    if (diagnostics.length > 0 && (broken || text !== before)) this.#options.teller.diagnostics(diagnostics);
    return before !== "[]" && text === "[]";
  }
}
