import type { FunctionFiles, Runner } from "../functions/invocation.ts";
import { bundledFiles } from "../functions/pool/files.ts";
import { Pool } from "../functions/pool/pool.ts";
import type { Settings } from "./settings.ts";

type Bounds = Pick<Settings, "functionWorkers" | "maxBodyBytes" | "pageCharacters">;

/** The threads of an instance's functions, one of them started; undefined where there is nothing that they could run. */
export function startThreads(settings: Bounds, given: FunctionFiles | undefined): Runner | undefined {
  const files = given ?? bundledFiles();
  const { functionWorkers: workers, maxBodyBytes, pageCharacters } = settings;
  const bounds = { requestBytes: maxBodyBytes, outputBytes: pageCharacters };
  return files && new Pool({ files, workers, bounds });
}
