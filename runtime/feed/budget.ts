export class Budget {
  readonly bytes: number;
  constructor(bytes: number) {
    this.bytes = bytes;
  }
}
