/** Emitted files as modules that a server process loads: the runtime once, what is emitted after each change. */
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { type BuildContext, build, context, type Plugin } from "esbuild";
import { seedsFolder } from "../../runtime/instance/transfer/seeds-folder.ts";
import type { JsonValue } from "../../runtime/json.ts";
import type { EmittedFile } from "../../templates/print/code.ts";
import { externalPackages, functionWorker, hasFunctions, serverOptions } from "../bundle/bundle.ts";
import { docsFiles } from "../bundle/docs.ts";
import { emittedModules } from "../bundle/plugins.ts";
import { seedsInto } from "../check/seeds-into.ts";
import { programFile } from "../emit.ts";
import type { Plan } from "../output/plan.ts";
import { writeWhole } from "../output/write.ts";
import { installedFolder, runtimeModule } from "../package/package.ts";
import { isMeaningOfCode } from "../source/meaning.ts";
import type { Output } from "./compile.ts";

/** Of a program, which one it is and where. */
export interface ProgramModule {
  /** Programs of the same text do the same, but for what handlers do. */
  readonly text: string;
  /** Equal for equal handlers. */
  readonly handlers: string;
  /** A URL to import. */
  readonly module: string;
  /** A URL of the folder of what explains refusals, with `/` at its end. */
  readonly explained: string;
  /** Equal for equal ones. */
  readonly explanations: string;
}

const runtimeName = "runtime.mjs";

/** A folder for modules of one run. */
export class Modules {
  readonly #folder: string;
  readonly #out: string;
  #files: readonly EmittedFile[] = [];
  #context: Promise<BuildContext<{ write: false }>> | undefined;
  #count = 0;
  #worker: Promise<readonly EmittedFile[]> | undefined;

  /** @param out The output folder, where emitted files are that a plan leaves as they are. */
  constructor(out: string) {
    this.#out = out;
    this.#folder = realpathSync(mkdtempSync(join(tmpdir(), "realmc-dev-")));
    for (const name of externalPackages) {
      const place = join(this.#folder, "node_modules", name);
      mkdirSync(dirname(place), { recursive: true });
      symlinkSync(installedFolder(name), place);
    }
  }

  /**
   * Makes the module that server processes start from; answers its path. The runtime is one file, which what is emitted
   * imports as well. In several ones esbuild would leave CommonJS packages that are loaded late without their names.
   * @param config the configuration folder, as people call it
   */
  async server(config: string): Promise<string> {
    const runtime = join(this.#folder, runtimeName);
    const { outputFiles } = await build({ ...serverOptions, entryPoints: [runtimeModule], outfile: runtime });
    await Promise.all(outputFiles.map(({ path, contents }) => writeFile(path, contents)));
    for (const file of await docsFiles()) await writeWhole(this.#folder, file);
    const script = join(this.#folder, "server.mjs");
    const lines = [
      `import { developmentServer } from "./${runtimeName}";`,
      `await developmentServer(${JSON.stringify(this.#folder)}, ${JSON.stringify(config)});`,
    ];
    await writeFile(script, lines.join("\n"));
    return script;
  }

  /** Puts the seeds of a configuration where server processes of this run find them. */
  async seeds(config: string): Promise<void> {
    const folder = join(this.#folder, seedsFolder);
    rmSync(folder, { recursive: true, force: true });
    await seedsInto(folder, config);
  }

  async program({
    plan,
    handlers,
    explained,
  }: Pick<Output, "plan" | "handlers" | "explained">): Promise<ProgramModule> {
    const entry = programFile(plan);
    this.#files = [...plan.files, entry];
    this.#context ??= context({
      ...serverOptions,
      entryPoints: [entry.path],
      outfile: "program.mjs",
      banner: {},
      // Comments show rules as they are written; where only that changes, the program stays the same.
      minifyWhitespace: true,
      plugins: [sharedRuntime, emittedModules(this.#out, () => this.#files)],
    });
    const { outputFiles } = await (await this.#context).rebuild();
    const [text = ""] = outputFiles.map((file) => file.text);
    if (hasFunctions(plan)) await this.#handlers(handlers);
    this.#count += 1;
    const path = join(this.#folder, `program-${this.#count}.mjs`);
    await writeFile(path, text);
    const apart = join(this.#folder, `explained-${this.#count}`);
    for (const file of explained) await writeWhole(apart, inFolders(file));
    return {
      text: text.replaceAll(plan.manifest.fingerprint, settingsOf(plan)),
      handlers: textOf(handlers),
      module: pathToFileURL(path).href,
      explained: `${pathToFileURL(apart).href}/`,
      explanations: textOf(explained),
    };
  }

  async #handlers(files: readonly EmittedFile[]): Promise<void> {
    this.#worker ??= functionWorker();
    for (const file of [...(await this.#worker), ...files]) await writeWhole(this.#folder, file);
  }

  async close(): Promise<void> {
    await (await this.#context)?.dispose();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** It is JavaScript as it is, two folders below the runtime. */
function inFolders({ path, text }: EmittedFile): EmittedFile {
  return { path, text: text.replace('"realmc/runtime"', JSON.stringify(`../../${runtimeName}`)) };
}

/** Equal for equal files. */
function textOf(files: readonly EmittedFile[]): string {
  return hash(files.map(({ path, text }) => [path, text]));
}

/** What the fingerprint is of the configuration without the code of handlers. */
function settingsOf({ manifest }: Pick<Plan, "manifest">): string {
  return hash(
    Object.entries(manifest.realms).map(([name, { inputs }]) => [
      name,
      Object.entries(inputs).filter(([, meaning]) => !isMeaningOfCode(meaning)),
    ]),
  );
}

function hash(value: JsonValue): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("hex");
}

const sharedRuntime: Plugin = {
  name: "shared-runtime",
  setup(build) {
    build.onResolve({ filter: /^realmc\/runtime$/ }, () => ({ path: `./${runtimeName}`, external: true }));
  },
};
