import { localProvider, type PaymentProvider } from "../../payments/interface.ts";

/** Invoices are paid and refunded outside of Tollgate, and marked as paid. */
export const manual: PaymentProvider = {
  ...localProvider,
  type: "manual",
  paysOnline: false,
  movesMoney: true,
  requestPayment: async () => "waiting",
  refund: async (_transaction, { amount }) => amount,
  stopPayments: async () => "accepted",
  labelOf: ({ type }) => type,
};
