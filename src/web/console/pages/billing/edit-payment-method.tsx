import { useState } from "react";
import type { Customer } from "../../../../client/index.ts";
import { Code } from "../../../components/copy.tsx";
import { Dialog } from "../../../components/dialog.tsx";
import { bindInput, optionsOf, SelectField } from "../../../components/field.tsx";
import { Notice, SkeletonLines } from "../../../components/notice.tsx";
import { behaviors, labelOfMethod } from "../../components/payment-method.tsx";
import { useMeteringBuckets } from "../../queries/buckets.tsx";
import { useRead } from "../../queries/session.tsx";
import { CallDialog, useCall } from "../../shell/requests.tsx";

type Behavior = Extract<NonNullable<Customer["paymentMethod"]>, { type: "sandbox" }>["behavior"];

interface Props {
  bucket: string;
  customer: Customer;
  onClose: () => void;
}

/** The payment method of a customer: one of the sandbox is set here, one at Stripe by the customer. */
export function EditPaymentMethod(props: Props) {
  const isAtStripe = useIsAtStripe(props.bucket);
  if (isAtStripe === undefined)
    return (
      <Dialog title={`Payment method of ${props.customer.customerKey}`} onClose={props.onClose}>
        <SkeletonLines count={2} />
      </Dialog>
    );
  return isAtStripe ? <StripeMethod {...props} /> : <SandboxMethod {...props} />;
}

/** Whether Stripe collects the invoices of the bucket. It does not once the clock of a test bucket was moved. */
function useIsAtStripe(bucket: string): boolean | undefined {
  const buckets = useMeteringBuckets();
  const found = buckets.data?.find(({ id, name }) => id === bucket || name === bucket);
  const mode = found?.isTest ? "test" : "live";
  const provider = useRead(["payment-provider", mode], (api, { signal }) => api.billing.provider(mode, { signal }), {
    enabled: found !== undefined,
  });
  if (buckets.error || provider.error || (buckets.data && !found)) return false;
  if (!found || !provider.data) return undefined;
  const isMoved = found.clock !== undefined && found.clock !== found.createdOn;
  return provider.data.type === "stripe" && !isMoved;
}

function StripeMethod({ bucket, customer: { customerKey: key, paymentMethod }, onClose }: Props) {
  const returnUrl = window.location.href;
  const open = useCall({ call: (api) => api.customers(bucket).paymentPortal(key, returnUrl) });
  return (
    <CallDialog title={`Payment method of ${key}`} of={open} submit="Get link" onClose={onClose}>
      <p>
        Managed at Stripe: {paymentMethod ? labelOfMethod(paymentMethod) : "no payment method"}. The customer changes it
        on a Stripe page. The link is valid for a few minutes.
      </p>
      {open.data && (
        <>
          <Code text={open.data.url} />
          <a href={open.data.url} target="_blank" rel="noreferrer">
            Open the customer’s page at Stripe
          </a>
        </>
      )}
    </CallDialog>
  );
}

/** Sets or removes a payment method of the sandbox. */
function SandboxMethod({ bucket, customer, onClose }: Props) {
  const { customerKey: key, paymentMethod } = customer;
  const [value, setValue] = useState<string>(paymentMethod?.type === "sandbox" ? paymentMethod.behavior : "");
  const save = useCall({
    call: async (api) => {
      const customers = api.customers(bucket);
      if (value === "") await customers.deletePaymentMethod(key);
      else await customers.setPaymentMethod(key, { type: "sandbox", behavior: value as Behavior });
    },
    done: "Payment method saved",
    onSuccess: onClose,
  });
  return (
    <CallDialog title={`Payment method of ${key}`} of={save} submit="Save payment method" onClose={onClose}>
      <Notice>
        Methods of the sandbox move no money: they are for tests. Without a method, invoices stay open until they are
        marked as paid.
      </Notice>
      <SelectField
        label="Payment method"
        options={[
          { value: "", label: "None" },
          ...optionsOf(behaviors).map(({ value, label }) => ({ value, label: `Sandbox: ${label}` })),
        ]}
        {...bindInput(value, setValue)}
      />
    </CallDialog>
  );
}
