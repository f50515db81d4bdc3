import { describe, expect, it } from "vitest";
import type { Mail } from "../realm/exchange.ts";
import { type Delivery, MailQueue, Undelivered } from "./mail.ts";

const letter: Mail = {
  from: "shop <noreply@localhost>",
  to: "ada@example.com",
  subject: "Choose a new password",
  text: "svt_secret",
};

interface Line {
  readonly fields: object;
  readonly message: string;
}

/** A queue over a delivery that fails as long as `failures` has something to throw. */
function queue(failures: readonly unknown[], backoff: readonly number[] = [0, 0]) {
  const left = [...failures];
  const delivered: Mail[] = [];
  const errors: Line[] = [];
  let attempts = 0;
  const delivery: Delivery = {
    async deliver(mail) {
      attempts += 1;
      if (left.length > 0) throw left.shift();
      delivered.push(mail);
    },
    close: () => undefined,
  };
  const nothing = () => undefined;
  const log = {
    info: nothing,
    warn: nothing,
    error: (fields: object, message: string) => void errors.push({ fields, message }),
  };
  return { mails: new MailQueue(delivery, log, { backoff }), delivered, errors, attempts: () => attempts };
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((go) => setImmediate(go));
}

const failure = () => Object.assign(new Error("550 ada@example.com svt_secret"), { code: "ECONNECTION" });

describe("Sending mail", () => {
  it("tries three times", async () => {
    const { mails, delivered, errors } = queue([failure(), failure()]);
    mails.send(letter);
    await until(() => delivered.length > 0);
    await mails.close();
    expect(delivered).toEqual([letter]);
    expect(errors).toEqual([]);
  });

  it("then logs an error that has neither text nor address nor token", async () => {
    const { mails, errors, attempts } = queue([failure(), failure(), failure(), failure()]);
    mails.send(letter);
    await until(() => errors.length > 0);
    expect(attempts()).toBe(3);
    expect(errors).toEqual([
      { fields: { attempts: 3, code: "ECONNECTION" }, message: "a mail could not be sent" },
    ]);
    await mails.close();
  });

  it("does not try again what is refused for good", async () => {
    const { mails, errors, attempts } = queue([new Undelivered({ response: 550 }, true)]);
    mails.send(letter);
    await until(() => errors.length > 0);
    expect(attempts()).toBe(1);
    expect(errors).toEqual([{ fields: { attempts: 1, response: 550 }, message: "a mail could not be sent" }]);
    await mails.close();
  });

  it("a shutdown waits for no later attempt, and says what was not sent", async () => {
    const { mails, errors, attempts } = queue([failure()], [3_600_000]);
    mails.send(letter);
    await until(() => attempts() > 0);
    await mails.close();
    expect(attempts()).toBe(1);
    expect(errors).toEqual([
      { fields: { attempts: 1, code: "ECONNECTION" }, message: "a mail could not be sent" },
    ]);
  });

  it("a shutdown waits for mails under way", async () => {
    const { mails, delivered } = queue([]);
    mails.send(letter);
    mails.send(letter);
    await mails.close();
    expect(delivered).toHaveLength(2);
  });

  it("holds a thousand mails at most; more are dropped, which is logged", async () => {
    const { mails, delivered, errors } = queue([]);
    for (let n = 0; n < 1_001; n += 1) mails.send(letter);
    await mails.close();
    expect(delivered).toHaveLength(1_000);
    expect(errors).toEqual([{ fields: {}, message: "a mail was dropped: too many wait to be sent" }]);
  });
});
