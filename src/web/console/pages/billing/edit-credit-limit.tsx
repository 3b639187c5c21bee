import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { type Customer, etagOf } from "../../../../client/index.ts";
import { SelectField, TextField } from "../../../components/field.tsx";
import { FormDialog } from "../../../components/form-dialog.tsx";
import { toast } from "../../../components/toast.tsx";
import { errorAt, fieldErrors } from "../../../lib/errors.ts";
import { bindInput } from "../../../lib/form-fields.ts";
import { SaveError } from "../../components/conflict.tsx";
import { useSession } from "../../queries/session.tsx";
import { CopyAs } from "../../shell/requests.tsx";
import { customerPath } from "./customer-path.ts";

type Cap = NonNullable<Customer["creditLimit"]>;

const actions: Record<Cap["action"], string> = {
  block: "Reject usage that would cost more",
  notify: "Only send a mail and webhooks",
};

/** Such as "50.00, rejects usage". Amounts are in the currency of the subscription. */
export function describeCap({ amount, action, currency: own }: Cap, ofCustomer: string | undefined): string {
  const currency = own ?? ofCustomer;
  const money = currency === undefined ? amount : `${amount} ${currency}`;
  return action === "block"
    ? `${money} in a period; then usage is rejected`
    : `${money} in a period; nothing is rejected`;
}

/** Limits what the overage of a customer costs in a period. A concurrent change is a conflict. */
export function EditCreditLimit({
  bucket,
  customer,
  onClose,
}: {
  bucket: string;
  customer: Customer;
  onClose: () => void;
}) {
  const { api } = useSession();
  const queries = useQueryClient();
  const [before, setBefore] = useState(customer);
  const [amount, setAmount] = useState(customer.creditLimit?.amount ?? "");
  const [action, setAction] = useState<Cap["action"]>(customer.creditLimit?.action ?? "block");
  const { customerKey: key } = customer;
  const creditLimit = amount.trim() === "" ? null : { amount: amount.trim(), action };
  const save = useMutation({
    mutationFn: (base: Customer) => api.customers(bucket).update(key, { creditLimit }, { ifMatch: etagOf(base) }),
    onSuccess: () => {
      queries.invalidateQueries({ queryKey: ["customer", bucket, key] });
      toast("Credit limit saved");
      onClose();
    },
  });
  const shown = (cap: Cap | null | undefined) => cap && `${cap.amount}: ${actions[cap.action]}`;
  return (
    <FormDialog
      title={`Credit limit of ${key}`}
      mutation={save}
      submit="Save credit limit"
      hasOwnError
      onClose={onClose}
      onSubmit={() => save.mutate(before)}
      footStart={<CopyAs request={{ method: "PATCH", path: customerPath(bucket, key), body: { creditLimit } }} />}
    >
      <SaveError
        error={save.error}
        load={() => api.customers(bucket).get(key)}
        fields={(theirs) => [
          { label: "Credit limit", theirs: shown(theirs.creditLimit) ?? "None", mine: shown(creditLimit) ?? "None" },
        ]}
        onTheirs={(theirs) => {
          setBefore(theirs);
          setAmount(theirs.creditLimit?.amount ?? "");
          setAction(theirs.creditLimit?.action ?? "block");
          save.reset();
        }}
        onMine={(theirs) => {
          setBefore(theirs);
          save.mutate(theirs);
        }}
      />
      <p className="muted">
        What usage beyond the plan may cost in a period. The customer may set a cap too: the lower one applies. It
        applies from now on, and what is owed stays.
      </p>
      <TextField
        label="Amount"
        isOptional
        inputMode="decimal"
        hint="In the currency of the subscription. Without an amount there is no limit."
        {...bindInput(amount, setAmount, errorAt(fieldErrors(save.error), "/creditLimit/amount"))}
      />
      <SelectField
        label="When it is reached"
        options={Object.entries(actions).map(([value, label]) => ({ value, label }))}
        {...bindInput(action, setAction)}
      />
    </FormDialog>
  );
}
