import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, it } from "vitest";
import { hold, readConversation } from "./conversation.ts";

/** Answers every request with what it was sent, and a word of its own. */
const server = createServer((request, response) => {
  const answer = { asked: request.url, for: request.headers["x-for"] ?? null, word: "sesame" };
  response.setHeader("content-type", "application/json").end(JSON.stringify(answer));
});
beforeAll(() => once(server.listen(0, "127.0.0.1"), "listening"));
afterAll(() => server.close());

const mail = {
  from: "Shop <shop@example.com>",
  to: "ada@example.com",
  subject: "A word",
  text: "It is sesame.\n",
};

function held(markdown: string): Promise<void> {
  const { port }: Pick<AddressInfo, "port"> = addressOf();
  return hold(
    {
      url: `http://127.0.0.1:${port}`,
      nextMail: async () => mail,
      known: { key: "k1" },
      made: { twice: (bound) => `${bound.get("word")}${bound.get("word")}` },
    },
    readConversation(markdown),
  );
}

function addressOf(): AddressInfo {
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("not listening");
  return address;
}

const turn = (request: string, answer: string) =>
  `\`\`\`http\n${request}\n\`\`\`\n\n\`\`\`http\nHTTP/1.1 200 OK\n${answer}\n\`\`\`\n`;
const letter = (text: string) =>
  `\`\`\`eml\nFrom: Shop <shop@example.com>\nTo: ada@example.com\nSubject: A word\n\n${text}\n\`\`\`\n`;

it("values that were bound come up again, in requests, answers and mails", async () => {
  await held(
    turn("GET /one\nX-For: <key>", '\n{ "asked": "/one", "for": "k1", "word": "<word>" }') +
      letter("It is <word>.") +
      turn("GET /<word>\nX-For: <twice>", '\n{ "asked": "/<word>", "for": "sesamesesame", "word": "…" }'),
  );
});

it("what is bound in a mail is known after it", async () => {
  await held(
    letter("It is <word>.") + turn("GET /<word>", '\n{ "asked": "/sesame", "for": null, "word": "<word>" }'),
  );
});

it.each<[string, string]>([
  ["another status", turn("GET /one", "").replace("200 OK", "204 No Content")],
  ["another value", turn("GET /one", '\n{ "asked": "/two", "for": null, "word": "…" }')],
  ["a member more", turn("GET /one", '\n{ "asked": "/one", "word": "…" }')],
  ["a bound value that is another", turn("GET /one", '\n{ "asked": "/one", "for": null, "word": "<key>" }')],
  [
    "another header",
    turn("GET /one", 'Content-Type: text/plain\n\n{ "asked": "/one", "for": null, "word": "…" }'),
  ],
  ["another mail", letter("It is another.")],
  ["a mail that says more", letter("It is")],
])("%s fails", async (_, markdown) => {
  await expect(held(markdown)).rejects.toThrow(/README line 1/);
});

it("a request without an answer is none", () => {
  expect(() => readConversation("```http\nGET /one\n```\n")).toThrow("the request in line 1 has no answer");
});

it("commands are run, and print what is shown; of what is no JSON nothing is", async () => {
  const command = (word: string) =>
    `\`\`\`sh\ncurl -s "$URL/by-hand" -H 'X-For: <key>'\n\`\`\`\n\n\`\`\`json\n{ "asked": "/by-hand", "for": "k1", "word": "${word}" }\n\`\`\`\n`;
  await held(command("<word>") + turn("GET /<word>", '\n{ "asked": "/sesame", "for": null, "word": "…" }'));
  await held(turn("GET /one", "\n…"));
  await expect(held(command("another"))).rejects.toThrow("README line 1: curl");
  expect(() => readConversation("```sh\ncurl -s $URL\n```\n")).toThrow("the command in line 1 has no output");
});
