/** What the server answers in place of what was asked for. */
export class S3Error extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string = code) {
    super(message);
    this.name = "S3Error";
    this.status = status;
    this.code = code;
  }
}
