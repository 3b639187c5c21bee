import type { PaymentService } from "../../../payments/interface/service.ts";
import { checkoutPage, checkoutPolicy } from "./page.ts";
import { currentStep, submitStep } from "./steps.ts";

/** Serves the payment page of the sandbox. */
export const sandboxService: PaymentService = {
  checkout: {
    currentStep,
    submit: submitStep,
    render: (checkout, step) => ({ html: checkoutPage(checkout, step), policy: checkoutPolicy(checkout) }),
  },
};
