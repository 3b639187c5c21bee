import { type Customer, type CustomerUpdate, etagOf } from "../../../../client/index.ts";
import { optionsOf, SelectField, TextField } from "../../../components/field.tsx";
import { EditDialog, useEdit } from "../../shell/edit-dialog.tsx";
import { AddressFields, addressForm, addressLines, addressOf } from "./address.tsx";

const formOf = ({ email = "", legalName = "", address, taxIds = [], taxStatus = "taxable" }: Customer) => ({
  email,
  legalName,
  taxIds: taxIds.join(", "),
  taxStatus,
  address: addressForm(address),
});

type Form = ReturnType<typeof formOf>;

const taxStatuses: Record<NonNullable<Customer["taxStatus"]>, string> = {
  taxable: "Taxable",
  "reverse-charge": "Reverse charge",
  exempt: "Exempt",
};

const idsOf = (text: string): string[] => text.split(",").flatMap((id) => id.trim() || []);

function changesOf({ email, legalName, taxIds, taxStatus, address }: Form) {
  const ids = idsOf(taxIds);
  return {
    email: email || null,
    legalName: legalName || null,
    taxIds: ids.length === 0 ? null : ids,
    taxStatus,
    address: addressOf(address) ?? null,
  };
}

interface EditCustomerProps {
  bucket: string;
  customer: Customer;
  onClose: () => void;
}

/** Changes what later invoices show. A concurrent change is a conflict. */
export function EditCustomer({ bucket, customer, onClose }: EditCustomerProps) {
  const key = customer.customerKey;
  const { form, setForm, errors, field, dialog } = useEdit({
    of: customer,
    formOf,
    load: (api) => api.customers(bucket).get(key),
    call: (api, base, form) => api.customers(bucket).update(key, changesOf(form), { ifMatch: etagOf(base) }),
    done: `Customer ${key} saved`,
    onClose,
  });
  const lines = (address: Customer["address"]) => address && addressLines(address);
  return (
    <EditDialog
      {...dialog}
      title={`Billing details of ${key}`}
      isWide
      submit="Save customer"
      fields={(theirs) => [
        { label: "Email", theirs: theirs.email, mine: form.email },
        { label: "Legal name", theirs: theirs.legalName, mine: form.legalName },
        { label: "Address", theirs: lines(theirs.address), mine: lines(addressOf(form.address)) },
        { label: "Tax ids", theirs: theirs.taxIds, mine: idsOf(form.taxIds) },
        { label: "Tax", theirs: taxStatuses[theirs.taxStatus ?? "taxable"], mine: taxStatuses[form.taxStatus] },
      ]}
    >
      <p className="muted">Later invoices show this. Finalized invoices never change.</p>
      <div className="form-grid">
        <TextField label="Legal name" isOptional placeholder="Acme Ltd" {...field("legalName")} />
        <TextField
          label="Email"
          isOptional
          type="email"
          hint="Gets invoices, receipts and reminders."
          {...field("email")}
        />
      </div>
      <AddressFields
        address={form.address}
        errors={errors}
        isOptional
        onChange={(address) => setForm({ ...form, address })}
      />
      <div className="form-grid">
        <TextField label="Tax ids" isOptional isMono hint="Separated by commas." {...field("taxIds")} />
        <SelectField
          label="Tax"
          hint="An invoice without tax states the reason."
          options={optionsOf(taxStatuses)}
          {...field("taxStatus")}
        />
      </div>
    </EditDialog>
  );
}

type Cap = NonNullable<Customer["creditLimit"]>;

const actions: Record<Cap["action"], string> = {
  block: "Reject usage that would cost more",
  notify: "Only send a mail and webhooks",
};

/** Such as "50.00 EUR in a period; then usage is rejected", for each currency. */
export function describeCaps(cap: Cap | undefined, all: Cap[] | undefined): string | undefined {
  const texts = capsOf(cap, all).map(({ amount, action, currency }) => {
    const money = currency === undefined ? amount : `${amount} ${currency}`;
    return action === "block"
      ? `${money} in a period; then usage is rejected`
      : `${money} in a period; nothing is rejected`;
  });
  return texts.length === 0 ? undefined : texts.join(". ");
}

const capsOf = (cap: Cap | undefined, all: Cap[] | undefined): Cap[] => all ?? (cap ? [cap] : []);

const capFormOf = ({ creditLimit, currency = "" }: Customer) => ({
  amount: creditLimit?.amount ?? "",
  action: creditLimit?.action ?? "block",
  currency: creditLimit?.currency ?? currency,
});

/** The limit that is entered, if any, and the changes that set it. */
function capChangesOf(
  base: Customer,
  { amount, action, currency }: ReturnType<typeof capFormOf>,
): { limit: Cap | undefined; changes: Pick<CustomerUpdate, "creditLimit" | "creditLimits"> } {
  const own = currency.trim() === "" ? {} : { currency: currency.trim() };
  const limit = amount.trim() === "" ? undefined : { amount: amount.trim(), action, ...own };
  const others = capsOf(base.creditLimit, base.creditLimits).filter((each) => each.currency !== own.currency);
  // One without a currency gets that of the customer.
  if (own.currency === undefined || others.length === 0) return { limit, changes: { creditLimit: limit ?? null } };
  const creditLimits = [...others, ...(limit ? [limit] : [])] as NonNullable<CustomerUpdate["creditLimits"]>;
  return { limit, changes: { creditLimits } };
}

/** Limits what the overage of a customer costs in a period. A concurrent change is a conflict. */
export function EditCreditLimit({ bucket, customer, onClose }: EditCustomerProps) {
  const { customerKey: key } = customer;
  const { form, before, field, dialog } = useEdit({
    of: customer,
    formOf: capFormOf,
    load: (api) => api.customers(bucket).get(key),
    call: (api, base, form) =>
      api.customers(bucket).update(key, capChangesOf(base, form).changes, { ifMatch: etagOf(base) }),
    done: "Credit limit saved",
    onClose,
  });
  const { limit, changes } = capChangesOf(before, form);
  const at = changes.creditLimits ? `/creditLimits/${changes.creditLimits.length - 1}` : "/creditLimit";
  return (
    <EditDialog
      {...dialog}
      title={`Credit limit of ${key}`}
      submit="Save credit limit"
      fields={(theirs) => [
        {
          label: "Credit limit",
          theirs: describeCaps(theirs.creditLimit, theirs.creditLimits) ?? "None",
          mine: describeCaps(limit, undefined) ?? "None",
        },
      ]}
    >
      <p className="muted">
        What usage beyond the plan may cost in a period. The customer may set a cap too: the lower one applies. It
        applies from now on, and what is owed stays.
      </p>
      <TextField
        label="Amount"
        isOptional
        inputMode="decimal"
        hint="Without an amount there is no limit in this currency."
        {...field("amount", `${at}/amount`)}
      />
      <TextField
        label="Currency"
        isOptional
        hint="Such as EUR: limits only usage priced in it. By default the customer's currency."
        {...field("currency", `${at}/currency`)}
      />
      <SelectField label="When it is reached" options={optionsOf(actions)} {...field("action")} />
    </EditDialog>
  );
}
