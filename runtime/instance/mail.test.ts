import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { accountsModule } from "../auth/testing/accounts.ts";
import { TRUE } from "../filter/algebra.ts";
import { idGenerator } from "../ids.ts";
import { claimTime } from "../jobs/claims.ts";
import { jobCollection } from "../jobs/records.ts";
import type { Mail } from "../realm/mail.ts";
import { type Vault, vault } from "../sealing.ts";
import type { Store } from "../store/contract/store.ts";
import { testStore } from "../store/testing/stores.ts";
import { until } from "../testing/until.ts";
import { type Jobs, startJobs } from "./jobs.ts";
import { type Delivery, mailer, mailing, Undelivered } from "./mail.ts";
import { realmCollections } from "./realm.ts";
import { type HeldClock, heldClock } from "./testing/servers.ts";

const minute = 60_000;
const { definition } = accountsModule("shop");
const letter: Mail = {
  from: "shop <noreply@localhost>",
  to: "ada@example.com",
  subject: "Choose a new password",
  text: "svt_secret",
};

interface Line {
  readonly level: "warn" | "error";
  readonly fields: object;
  readonly message: string;
}

let clock: HeldClock;
let store: Store;
let own: ReturnType<typeof realm>;
let logs: Line[];
/** Looks for what is due. */
let tick: () => void;
let running: Jobs[];
beforeEach(async () => {
  clock = heldClock();
  store = await testStore({ clock, collections: realmCollections(definition) });
  own = realm();
  logs = [];
  running = [];
});
afterEach(async () => {
  for (const mails of running) await mails.stop();
  await store.close();
});

/** A delivery that fails as long as `failures` has something to throw. */
function failing(failures: readonly unknown[]) {
  const left = [...failures];
  const delivered: Mail[] = [];
  const counted = {
    delivered,
    attempts: 0,
    async deliver(mail: Mail) {
      counted.attempts += 1;
      if (left.length > 0) throw left.shift();
      delivered.push(mail);
    },
    close: () => undefined,
  };
  return counted;
}

const keys = (...bytes: readonly number[]): Vault =>
  vault(
    bytes.map((byte) => Buffer.alloc(32, byte)),
    "secrets of shop",
  );

function realm(sealer = keys(1)) {
  const keep = (level: Line["level"]) => (fields: object, message: string) =>
    void logs.push({ level, fields, message });
  const log = { info: () => undefined, warn: keep("warn"), error: keep("error") };
  return { definition, store, clock, newId: idGenerator(clock), log, vault: sealer };
}

function start(
  delivery: Delivery,
  { patience = 2_000, ...times }: Parameters<typeof mailing>[3] & { patience?: number } = {},
  on = own,
): Jobs {
  const repeat = (_: number, work: () => void) => {
    tick = work;
    return () => undefined;
  };
  const mails = startJobs([on], () => [mailing([on], delivery, on.log, times)], repeat, { patience });
  running.push(mails);
  return mails;
}

const queue = (mail = letter) => store.transaction((transaction) => mailer(own).queue(transaction, mail));

/** Everything that waits, as it is stored. */
const waiting = async () =>
  (await store.collection(jobCollection).find({ filter: TRUE, visibility: "all", limit: 100, skip: 0 })).map(
    ({ text }) => text,
  );

const failure = () => Object.assign(new Error("550 ada@example.com svt_secret"), { code: "ECONNECTION" });

describe("A mail", () => {
  it("is kept in the store until it is sent, sealed, and leaves nothing then", async () => {
    await queue();
    const [stored = "", ...others] = await waiting();
    expect(others).toEqual([]);
    // What is sealed is noise, in which any three letters may stand.
    expect(stored.replace(/"box":"[\w-]+"/, "")).not.toMatch(/ada|svt_|password/);
    expect(stored).not.toContain(Buffer.from(letter.to).toString("base64url").slice(0, 8));
    const delivery = failing([]);
    start(delivery);
    await until(async () => expect(await waiting()).toEqual([]));
    expect(delivery.delivered).toEqual([letter]);
  });

  it("is sent when it is queued, in turn", async () => {
    const delivery = failing([]);
    const mails = start(delivery);
    for (const to of ["a@x", "b@x", "c@x"]) await queue({ ...letter, to });
    mails.wake("shop");
    await until(() => expect(delivery.delivered.map(({ to }) => to)).toEqual(["a@x", "b@x", "c@x"]));
  });

  it("of a transaction that fails is none", async () => {
    const failed = store.transaction(async (transaction) => {
      await mailer(own).queue(transaction, letter);
      throw new Error("no");
    });
    await expect(failed).rejects.toThrow("no");
    expect(await waiting()).toEqual([]);
  });

  it("that could not be sent is tried again later, by whichever process", async () => {
    await queue();
    const first = failing([failure()]);
    const mails = start(first, { backoff: [minute] });
    await until(() => expect(logs).toHaveLength(1));
    expect(logs).toEqual([
      {
        level: "warn",
        fields: { attempts: 1, code: "ECONNECTION" },
        message: "a mail could not be sent yet; it is tried again",
      },
    ]);
    await mails.stop();
    expect([first.attempts, (await waiting()).length]).toEqual([1, 1]);
    const second = failing([]);
    start(second);
    clock.advance(minute);
    tick();
    await until(() => expect(second.delivered).toEqual([letter]));
  });

  it("is tried again within the minute where it may be", async () => {
    await queue();
    const delivery = failing([failure()]);
    start(delivery, { backoff: [0] });
    await until(() => expect(delivery.delivered).toEqual([letter]));
  });

  it("is given up in the end; the log has neither text nor address nor token", async () => {
    await queue();
    const delivery = failing([failure(), failure(), failure(), failure()]);
    start(delivery, { backoff: [0, 0] });
    await until(async () => expect(await waiting()).toEqual([]));
    expect(delivery.attempts).toBe(3);
    expect(logs.at(-1)).toEqual({
      level: "error",
      fields: { attempts: 3, code: "ECONNECTION" },
      message: "a mail could not be sent",
    });
    expect(JSON.stringify(logs)).not.toMatch(/ada|svt_/);
  });

  it("that is refused for good is not tried again", async () => {
    await queue();
    const delivery = failing([new Undelivered({ response: 550 }, true)]);
    start(delivery);
    await until(async () => expect(await waiting()).toEqual([]));
    expect(delivery.attempts).toBe(1);
    expect(logs).toEqual([
      { level: "error", fields: { attempts: 1, response: 550 }, message: "a mail could not be sent" },
    ]);
  });

  it("that takes too long counts as not sent", async () => {
    await queue();
    start({ deliver: () => new Promise(() => undefined), close: () => undefined }, { attempt: 1 });
    await until(() => expect(logs).toMatchObject([{ level: "warn", fields: { code: "ETIMEDOUT" } }]));
  });

  it("sealed by a key that is not listed waits for it", async () => {
    await queue();
    const delivery = failing([]);
    start(delivery, { backoff: [minute] }, realm(keys(2)));
    await until(() =>
      expect(logs).toMatchObject([{ level: "warn", fields: { reason: "its key is missing in SVC_KEYS" } }]),
    );
    expect([delivery.attempts, (await waiting()).length]).toEqual([0, 1]);
  });
});

describe("A shutdown", () => {
  it("waits for mails that are due", async () => {
    const delivery = failing([]);
    const mails = start(delivery);
    await queue();
    await queue();
    await mails.stop();
    expect(delivery.delivered).toHaveLength(2);
  });

  it("waits for no mail server that hangs: its mail is sent by the next process", async () => {
    await queue();
    let asked = 0;
    const hanging: Delivery = {
      deliver: () => {
        asked += 1;
        return new Promise(() => undefined);
      },
      close: () => undefined,
    };
    const mails = start(hanging, { patience: 1 });
    await until(() => expect(asked).toBe(1));
    await mails.stop();
    expect(logs).toEqual([]);
    const delivery = failing([]);
    start(delivery);
    await until(() => expect(delivery.delivered).toEqual([letter]));
  });
});

it("Of two instances one sends a mail; one that lost its turn without knowing marks nothing as sent", async () => {
  await queue();
  let send: (() => void) | undefined;
  const slow = {
    deliver: () =>
      new Promise<void>((resolve) => {
        send = resolve;
      }),
    close: () => undefined,
  };
  start(slow);
  await until(() => expect(send).toBeDefined());
  const other = failing([failure()]);
  const second = start(other, { backoff: [minute] });
  await second.stop();
  expect(other.attempts).toBe(0);
  // Its time is over, and another one takes its turn.
  clock.advance(claimTime);
  start(other, { backoff: [minute] });
  await until(() => expect(logs).toHaveLength(1));
  send?.();
  await running[0]?.stop();
  expect(await waiting()).toHaveLength(1);
});
