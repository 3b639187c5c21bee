/** How money of a grant may be used: its funding, its place in the order of use, and until when. */
export interface MoneyTerms {
  funding: "promotional" | "paid";
  priority: number;
  expiresOn: number | null;
}

export const defaultPriority = 50;

/** The terms of money from a payment. */
export const defaultTerms: MoneyTerms = { funding: "paid", priority: defaultPriority, expiresOn: null };
