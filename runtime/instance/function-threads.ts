import type { FunctionFiles, Runner } from "../functions/invocation.ts";
import { bundledFiles } from "../functions/pool/files.ts";
import { Pool } from "../functions/pool/pool.ts";
import { RenewedRunner } from "../functions/pool/renewed.ts";
import type { Settings } from "./settings.ts";

type Bounds = Pick<Settings, "functionWorkers" | "maxBodyBytes" | "pageCharacters">;

/** The threads of an instance's functions, one of them started; undefined where there is nothing that they could run. */
export function startThreads(settings: Bounds, given: FunctionFiles | undefined): Runner | undefined {
  const files = given ?? bundledFiles();
  return files && threadsFor(settings, files);
}

/** The same for `realmc dev`, where handlers change while they run. */
export function startRenewedThreads(settings: Bounds): RenewedRunner | undefined {
  const files = bundledFiles();
  return files && new RenewedRunner(() => threadsFor(settings, files));
}

function threadsFor(settings: Bounds, files: FunctionFiles): Runner {
  const { functionWorkers: workers, maxBodyBytes, pageCharacters } = settings;
  const bounds = { requestBytes: maxBodyBytes, outputBytes: pageCharacters };
  return new Pool({ files, workers, bounds });
}
