/** What the two engines spell differently in a CREATE statement. */
export interface Spelling {
  /** Never given out twice, also after the last row was deleted: one in memory must not come to mean another row. */
  seq: string;
  /** For rows that nothing outside their own transaction knows by number. */
  reusableSeq: string;
  /** Text that sorts byte by byte, as ids do. */
  sortedText: string;
  integer: string;
  bytes: string;
  withoutRowid: string;
  changesExtra: { column: string; statements: string[] };
}

export interface Migration {
  name: string;
  statements(spelling: Spelling): string[];
}
