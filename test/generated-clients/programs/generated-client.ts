// What test/tools/generated-clients.test.ts asks of every generated client. Each program beside this file does it with
// the client that one tool made, as its users would, and is compiled with that tool's output.

export interface GeneratedClient {
  place(wish: Wish): Promise<Placed>;
  /** The first two orders, newest first. */
  list(): Promise<Listed>;
  /** An order that does not exist. */
  miss(): Promise<Missed>;
}

export interface Wish {
  readonly package_id: number;
  readonly customer: string;
  readonly months?: 3;
  readonly period?: 'yearly';
}

export interface Placed {
  readonly id: number;
  readonly months: 1 | 3 | 12;
  readonly balance: string;
}

export interface Listed {
  readonly ids: readonly number[];
  /** Of a list without a filter. */
  readonly total: number | undefined;
}

export interface Missed {
  readonly status: number;
  readonly code: string;
}
