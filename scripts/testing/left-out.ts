/** Says last, after the summary, what a run left out. */
import type { Reporter, Vitest } from "vitest/node";

/** By project: what is said where a run of the other tests did not have it. */
const unsaid: Readonly<Record<string, string>> = {
  mongodb: "The tests were not run on MongoDB: MONGODB_URI, which names a server for that, is not set.",
  product: "The package, its page in a browser, and others' tools with it are tried by: npm run test:product",
};

export class LeftOut implements Reporter {
  #projects: readonly string[] = [];

  onInit({ projects }: Vitest): void {
    this.#projects = projects.map(({ name }) => name);
  }

  onTestRunEnd(): void {
    if (!this.#projects.includes("embedded")) return;
    const lines = Object.entries(unsaid).filter(([project]) => !this.#projects.includes(project));
    for (const [, line] of lines) console.error(line);
    if (lines.length > 0) console.error();
  }
}
