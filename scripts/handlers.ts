/** Handlers of functions, built for tests. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { analyse } from "../compiler/pipeline.ts";
import { TestFunctions } from "../runtime/functions/testing/threads.ts";

/** What threads load of the functions of a realm of a configuration folder: to be discarded in the end. */
export async function builtHandlers(config: string, realm: string): Promise<TestFunctions> {
  const { realms } = await analyse(config, { only: realm });
  const functions = new TestFunctions();
  for (const { path, text } of realms.flatMap(({ handlers = [] }) => handlers)) {
    const file = join(functions.folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  return functions;
}
