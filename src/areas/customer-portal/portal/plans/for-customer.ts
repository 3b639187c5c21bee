import { Problem } from "../../../../core/problems/problem.ts";

export function withoutCustomer<Shown extends { customerKey: string }>({ customerKey: _, ...shown }: Shown) {
  return shown;
}

/** Tells the customer what it means that settings of the account are missing: the customer cannot set them. */
export async function forCustomer<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Problem && error.code === "billing_profile_missing") throw new Problem("purchase_unavailable");
    throw error;
  }
}
