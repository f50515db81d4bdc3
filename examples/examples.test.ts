import { createHmac } from "node:crypto";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { HOTP, Secret } from "otpauth";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { blog } from "../generated/blog/realm.ts";
import { helpdesk } from "../generated/helpdesk/realm.ts";
import { inventory } from "../generated/inventory/realm.ts";
import { createKey } from "../runtime/auth/command-keys.ts";
import type { TestFunctions } from "../runtime/functions/testing/threads.ts";
import { deliveryTo, type HeldClock, type Started, startRealm } from "../runtime/instance/testing/servers.ts";
import type { Mail } from "../runtime/realm/mail.ts";
import { builtHandlers } from "../scripts/handlers.ts";
import { hold, readConversation } from "./conversation.ts";

/** Mails in the order in which they were sent; they may come after the answer to what caused them. */
class Letterbox {
  readonly #arrived: Mail[] = [];
  readonly #waiting: ((mail: Mail) => void)[] = [];

  take(mail: Mail): void {
    const waiting = this.#waiting.shift();
    if (waiting === undefined) this.#arrived.push(mail);
    else waiting(mail);
  }

  next(): Promise<Mail> {
    const mail = this.#arrived.shift();
    return mail === undefined ? new Promise((resolve) => this.#waiting.push(resolve)) : Promise.resolve(mail);
  }
}

const letterbox = new Letterbox();
let functions: TestFunctions;
let server: Started<HeldClock>;
beforeAll(async () => {
  functions = await builtHandlers(fileURLToPath(new URL(".", import.meta.url)), "helpdesk");
  server = await startRealm([blog, helpdesk, inventory], {
    mail: deliveryTo((mail) => letterbox.take(mail)),
    functionFiles: functions,
  });
});
afterAll(async () => {
  await server.stop();
  functions.discard();
});

describe.each(["blog", "helpdesk", "inventory"])("examples/%s/README.md", (realm) => {
  it("shows what the server answers", async () => {
    const turns = readConversation(readFileSync(new URL(`${realm}/README.md`, import.meta.url), "utf8"));
    expect(turns.length).toBeGreaterThan(5);
    const key = await createKey(server.store(realm), server.clock, { name: "operator", admin: true });
    const partner = {
      url: server.url,
      folder: fileURLToPath(new URL(realm, import.meta.url)),
      nextMail: () => letterbox.next(),
      known: { "admin-key": key },
      made: {
        // What an authenticator app shows.
        code: (bound: ReadonlyMap<string, string>) => code(bound.get("secret"), server.clock.now()),
        signature: (_: unknown, body: string) =>
          createHmac("sha256", "known to the mail provider").update(body).digest("hex"),
      },
    };
    await hold(partner, turns);
  });
});

function code(secret: string | undefined, at: number): string {
  if (secret === undefined) return "no secret";
  return HOTP.generate({ secret: Secret.fromBase32(secret), counter: Math.floor(at / 30_000) });
}
