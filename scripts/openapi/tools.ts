/** What others made to read OpenAPI documents: a package of its own in `tools/`, because it needs another TypeScript. */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { root } from "../workspace.ts";

/** The package's folder. */
export const folder = fileURLToPath(new URL("tools", import.meta.url));

export interface Ended {
  readonly code: number;
  /** All that it wrote. */
  readonly output: string;
}

/**
 * Runs a module of the tools by its path in their `node_modules`, or in their folder. Nothing is sent to anybody.
 * @throws Error when it cannot be started
 */
export async function tool(path: string, ...args: readonly string[]): Promise<Ended> {
  return await node(join(folder, path), args);
}

/** Runs a TypeScript module of the tools' folder. */
export async function script(path: string, ...args: readonly string[]): Promise<Ended> {
  return await node(join(root, "node_modules/tsx/dist/cli.mjs"), [join(folder, path), ...args]);
}

async function node(module: string, args: readonly string[]): Promise<Ended> {
  const env = {
    ...process.env,
    REDOCLY_TELEMETRY: "off",
    REDOCLY_SUPPRESS_UPDATE_NOTICE: "true",
    NO_COLOR: "1",
  };
  const options = { cwd: folder, env, timeout: 120_000, maxBuffer: 64 * 1024 * 1024 };
  return await new Promise((resolve, reject) => {
    execFile(process.execPath, [module, ...args], options, (error, stdout, stderr) => {
      const code = error === null ? 0 : error.code;
      if (typeof code === "number") resolve({ code, output: stdout + stderr });
      else reject(error);
    });
  });
}
