import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { Customer } from "../../../../client/index.ts";
import { Dialog, DialogButtons } from "../../../components/dialog.tsx";
import { SelectField } from "../../../components/field.tsx";
import { ErrorNotice, Notice } from "../../../components/notice.tsx";
import { toast } from "../../../components/toast.tsx";
import { useSession } from "../../queries/session.tsx";
import { CopyAs } from "../../shell/requests.tsx";

type Behavior = Extract<NonNullable<Customer["paymentMethod"]>, { type: "sandbox" }>["behavior"];

/** Sets or removes a payment method of the sandbox. Those of Stripe are set by the customer. */
export function EditPaymentMethod({
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
  const { customerKey: key, paymentMethod } = customer;
  const [value, setValue] = useState<string>(paymentMethod?.type === "sandbox" ? paymentMethod.behavior : "");
  const save = useMutation({
    mutationFn: async () => {
      const customers = api.customers(bucket);
      if (value === "") await customers.deletePaymentMethod(key);
      else await customers.setPaymentMethod(key, { type: "sandbox", behavior: value as Behavior });
    },
    onSuccess: () => {
      queries.invalidateQueries({ queryKey: ["customer", bucket, key] });
      queries.invalidateQueries({ queryKey: ["customers", bucket] });
      toast("Payment method saved");
      onClose();
    },
  });
  const path = `/v1/metering/${bucket}/customers/${key}/payment-method`;
  const request =
    value === "" ? { method: "DELETE", path } : { method: "PUT", path, body: { type: "sandbox", behavior: value } };
  return (
    <Dialog
      title={`Payment method of ${key}`}
      onClose={onClose}
      onSubmit={() => save.mutate()}
      footStart={<CopyAs request={request} />}
      foot={
        <DialogButtons onClose={onClose} isBusy={save.isPending}>
          Save payment method
        </DialogButtons>
      }
    >
      {save.error && <ErrorNotice error={save.error} />}
      <Notice>
        Methods of the sandbox move no money: they are for tests. Without a method, invoices stay open until they are
        marked as paid.
      </Notice>
      <SelectField
        label="Payment method"
        value={value}
        options={[
          { value: "", label: "None" },
          { value: "succeeds", label: "Sandbox: payments succeed" },
          { value: "fails", label: "Sandbox: payments fail" },
          { value: "needs-action", label: "Sandbox: needs a second step" },
        ]}
        onChange={(event) => setValue(event.target.value)}
      />
    </Dialog>
  );
}
