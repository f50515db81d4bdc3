/** What of `ctx` asks the server for more than documents. */
import type { Mail, Organization, Organizations } from "../handler.ts";
import { contentOf } from "./replies.ts";
import type { Requests } from "./requests.ts";
import { milliseconds } from "./thrown.ts";

export function organizations(requests: Requests): Organizations {
  return {
    async get(id) {
      const reply = await requests.ask({ kind: "organization", id: String(id) });
      return reply.status === 404 ? null : contentOf<Organization>(reply);
    },
    async setClaims(id, claims) {
      const text = JSON.stringify(claims) ?? "null";
      return contentOf(await requests.ask({ kind: "claims", id: String(id), claims: text }));
    },
  };
}

export interface Jobs {
  enqueue(
    name: string,
    input: unknown,
    options?: { readonly delay?: string; readonly key?: string },
  ): Promise<{ id: string }>;
}

export function jobs(requests: Requests): Jobs {
  return {
    async enqueue(name, input, { delay, key } = {}) {
      return contentOf(
        await requests.ask({
          kind: "enqueue",
          function: String(name),
          input: JSON.stringify(input ?? {}) ?? "null",
          ...(delay !== undefined && { delay: milliseconds("ctx.jobs.enqueue: delay", delay) }),
          ...(key !== undefined && { key: String(key) }),
        }),
      );
    },
  };
}

export function mail(requests: Requests): Mail {
  return {
    async send({ to, subject, text, html }) {
      const recipient = typeof to === "object" ? { user: String(to.user) } : String(to);
      const message = { to: recipient, subject: String(subject), text: String(text) };
      contentOf(
        await requests.ask({ kind: "mail", ...message, ...(html !== undefined && { html: String(html) }) }),
      );
    },
  };
}
