// Parameters of paths that many routes have.

/** Of a route whose path names one row. */
export interface WithId {
  Params: { id: string };
}
