// What keys of each kind cost beside a session: get by id, in turns, in one process.
import { type CredentialOptions, compareCallers, makeKey } from "./credentials.ts";
import { type MeasuredServer, startGenerated } from "./servers.ts";

export async function keyBenchmark(options: CredentialOptions): Promise<void> {
  const { place, bundle } = options;
  const server = await startGenerated(bundle, place, "keys");
  try {
    const org = await post(server, "_orgs", { name: "Company" });
    const token = await post(server, "_auth/tokens", { name: "bench" });
    const member = await post(server, `_orgs/${text(org, "id")}/keys`, { name: "bench", roles: ["owner"] });
    const by = (name: string, key: string): MeasuredServer => ({
      ...server,
      name,
      headers: { authorization: `Bearer ${key}` },
    });
    await compareCallers(
      [
        { ...server, name: "a session" },
        by("an operator's key", makeKey(bundle, place, "keys")),
        by("a personal token", text(token, "key")),
        by("an organization key", text(member, "key")),
      ],
      options,
    );
  } finally {
    await server.stop();
  }
}

/** Asks in the session of the server, with a fresh proof. */
async function post(server: MeasuredServer, path: string, body: object): Promise<unknown> {
  const proof =
    path === "_orgs" ? undefined : await send(server, "_auth/reauth", { password: "correct horse battery" });
  return send(server, path, body, proof === undefined ? {} : { "x-svc-reauth": text(proof, "proof") });
}

async function send(
  { url, realm, headers }: MeasuredServer,
  path: string,
  body: object,
  more: Readonly<Record<string, string>> = {},
): Promise<unknown> {
  const answer = await fetch(`${url}/v1/${realm}/${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers, ...more },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${path} answered ${answer.status} ${await answer.text()}`);
  return answer.json();
}

function text(of: unknown, name: string): string {
  const value =
    typeof of === "object" && of !== null ? Object.entries(of).find(([key]) => key === name)?.[1] : undefined;
  if (typeof value !== "string") throw new Error(`no ${name} in the answer`);
  return value;
}
