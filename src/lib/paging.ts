/** Which part of a list is asked for. */
export interface Paging {
  limit: number;
  offset: number;
}
