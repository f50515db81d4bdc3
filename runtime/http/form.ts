/** Bodies of `multipart/form-data` (RFC 7578), part by part as they come. */
import { Dicer } from "@fastify/busboy";
import { ApiError, invalidBody } from "../errors.ts";
import { formType, type PartHeaders, partHeaders } from "./form-headers.ts";

/** Parts of a form. */
const mostParts = 100;
/** Bytes of the headers of a part, and how many there are. */
const headerLimits = { maxHeaderSize: 16_384, maxHeaderPairs: 32 };

/** A part of a form on its way. */
export interface FormPart extends PartHeaders {
  /** To be read before the next part is asked for; what is left of it is dropped then. */
  readonly bytes: AsyncIterable<Buffer>;
}

/**
 * The parts of a form. No more of it is read than somebody asks for, and no more is in memory than a few pieces; it is read
 * to its end, since only then it is known to be whole.
 * @param source the body; ended where nobody wants the rest
 * @throws (in iterating, of parts and of their bytes) ApiError `validation_error` where the form is malformed or ends too
 *   early; `unsupported_media_type` where it has more than {@link mostParts} parts; what `source` throws
 */
export async function* formParts(source: AsyncIterable<Buffer>, boundary: string): AsyncGenerator<FormPart> {
  const pieces = source[Symbol.asyncIterator]();
  const form = new Form(boundary);
  const more = () => form.read(pieces);
  try {
    do {
      for (let part = form.parts.shift(); part !== undefined; part = form.parts.shift()) {
        yield { ...part.headers, bytes: part.bytes(more) };
        part.drop();
      }
    } while (await more());
  } finally {
    await pieces.return?.();
  }
}

/** A part whose bytes have come in part. */
class Arriving {
  readonly headers: PartHeaders;
  #pieces: Buffer[] = [];
  #ended = false;
  #dropped = false;

  constructor(headers: PartHeaders) {
    this.headers = headers;
  }

  add(piece: Buffer): void {
    if (!this.#dropped) this.#pieces.push(piece);
  }

  end(): void {
    this.#ended = true;
  }

  /** Nobody reads on. */
  drop(): void {
    this.#dropped = true;
    this.#pieces = [];
  }

  /** @param more has more of the form come; false where there is none */
  async *bytes(more: () => Promise<boolean>): AsyncGenerator<Buffer> {
    do {
      const pieces = this.#pieces;
      this.#pieces = [];
      yield* pieces;
    } while (this.#pieces.length > 0 || (!this.#ended && (await more())));
  }
}

/** The parser, and what it has found. */
class Form {
  /** Those that nobody has asked for. */
  readonly parts: Arriving[] = [];
  readonly #parser: Dicer;
  /** Settled when the parser is at the end of the form, and each of its parts has ended. */
  readonly #ends: Promise<void>[] = [];
  #failure: ApiError | undefined;
  #count = 0;
  #isOver = false;

  constructor(boundary: string) {
    this.#parser = new Dicer({ boundary, ...headerLimits });
    this.#parser.on("part", (part) => this.#take(part));
    const over = new Promise<void>((resolve) => {
      this.#parser.on("finish", resolve);
      this.#parser.on("error", () => {
        this.#fail(malformed("the form ends before its last boundary"));
        resolve();
      });
    });
    this.#ends.push(over);
  }

  /**
   * Has the parser look at the next piece of the body.
   * @returns false at the end of the form
   */
  async read(source: AsyncIterator<Buffer>): Promise<boolean> {
    if (this.#isOver) return false;
    const { done, value } = await source.next();
    if (done === true) {
      this.#parser.end();
      await Promise.all(this.#ends);
      this.#isOver = true;
    } else {
      await new Promise<void>((resolve) => {
        this.#parser.write(value, () => resolve());
      });
    }
    if (this.#failure !== undefined) throw this.#failure;
    return true;
  }

  #take(part: Dicer.PartStream): void {
    let arriving: Arriving | undefined;
    this.#count += 1;
    if (this.#count > mostParts) this.#fail(unsupported(`A form here has at most ${mostParts} parts.`));
    part.on("header", (headers: Readonly<Record<string, readonly string[]>>) => {
      const said = partHeaders(headers);
      if (said === undefined) {
        this.#fail(malformed("a part has no Content-Disposition: form-data with a name"));
        return;
      }
      if (said.encoding !== undefined)
        this.#fail(unsupported("The parts of a form must have no Content-Transfer-Encoding."));
      arriving = new Arriving(said);
      this.parts.push(arriving);
    });
    part.on("data", (piece: Buffer) => arriving?.add(piece));
    // Of a form that ends too early the parser tells the same.
    part.on("error", () => undefined);
    const end = new Promise<void>((resolve) => {
      part.on("end", () => {
        if (arriving === undefined) this.#fail(malformed("the headers of a part do not end"));
        arriving?.end();
        resolve();
      });
    });
    this.#ends.push(end);
  }

  #fail(failure: ApiError): void {
    this.#failure ??= failure;
  }
}

function malformed(reason: string): ApiError {
  return invalidBody([{ path: "", reason: `is no ${formType}: ${reason}` }]);
}

function unsupported(message: string): ApiError {
  return new ApiError("unsupported_media_type", message);
}
