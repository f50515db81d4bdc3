import { functionSettings } from "../../compiler/settings/function.ts";
import { type FunctionOf, merged } from "../../compiler/settings/setting.ts";
import { code, declared, type EmittedFile, emitModule, importedType } from "../print/code.ts";
import { emittedInOrder } from "../print/emitted.ts";
import { functionName, functionPath, runtime } from "../server/names.ts";

const types = { webhook: "WebhookDefinition", call: "CallDefinition", event: "EventDefinition" } as const;

/** `function.ts`: the function as the runtime knows it. */
export function functionModule(of: FunctionOf): EmittedFile {
  const { fn } = of;
  const { realm, database, name } = fn;
  const parts = merged(functionSettings.map((setting) => setting.definition(of)));
  const definition = emittedInOrder(order, { realm, database, name, ...parts });
  return emitModule({
    path: `${functionPath(fn)}/function.ts`,
    sources: [`${functionPath(fn)}/function.yaml`],
    body: code`export const ${declared(functionName(fn))}: ${importedType(types[fn.mode], runtime)} = ${definition};`,
  });
}

/** In which reviewers read what is declared. */
const order: readonly string[] = [
  ...["realm", "database", "name", "mode", "invoke", "validateInput", "validateOutput", "idempotency"],
  ...["triggers", "schedule", "attempts", "timeout", "memory", "concurrency"],
  ...["scopes", "secrets", "network", "mail"],
];
