export interface Paging {
  limit: number;
  offset: number;
}
