import { useState } from "react";
import type { BillingMailPreviewCreate, Portal } from "../../../../client/index.ts";
import { Button } from "../../../components/button.tsx";
import { Dialog } from "../../../components/dialog.tsx";
import { bindInput, Checkbox, TextField } from "../../../components/field.tsx";
import { ErrorNotice, SkeletonLines } from "../../../components/notice.tsx";
import { useRead } from "../../queries/session.tsx";

type Mails = NonNullable<Portal["mails"]>;
type Kind = keyof Mails;

const labels: Record<Kind, string> = {
  welcome: "Welcome",
  "account-deleted": "Account deleted",
  "plan-changed": "Plan changed",
  invoice: "Invoice",
  receipt: "Receipt",
  refund: "Refund",
  "payment-failed": "Payment failed",
  "card-expires": "Card expires",
  "access-ending": "Access ends tomorrow",
  "access-ended": "Access has ended",
  "access-restored": "Access restored",
  spending: "Spending limit reached",
  "top-up-failed": "Top-up failed",
  "top-up-action": "Top-up to confirm",
};

const ofPortals = ["welcome", "account-deleted"];

interface Props {
  /** The bucket of the portal. Absent for the mail of metering buckets without one. */
  bucket?: string;
  /** A preview needs a portal. */
  isStored?: boolean;
  value: Mails;
  onChange: (mails: Mails) => void;
}

/** The mail to customers: which is sent, and its subject and greeting. */
export function PortalMails({ bucket, isStored = true, value, onChange }: Props) {
  const [edited, setEdited] = useState<Kind>();
  const set = (kind: Kind, text: Mails[Kind]) => onChange({ ...value, [kind]: { ...value[kind], ...text } });
  return (
    <div className="stack stack-tight">
      {Object.entries(labels).map(([name, label]) => {
        const kind = name as Kind;
        if (!bucket && ofPortals.includes(kind)) return null;
        return (
          <div className="row row-between" key={kind}>
            <Checkbox
              label={label}
              checked={value[kind]?.isEnabled ?? true}
              onChange={({ target }) => set(kind, { isEnabled: target.checked })}
            />
            <Button kind="quiet" disabled={!isStored} aria-label={`Edit ${label}`} onClick={() => setEdited(kind)}>
              Edit
            </Button>
          </div>
        );
      })}
      {edited && (
        <MailDialog
          bucket={bucket}
          kind={edited}
          text={value[edited] ?? {}}
          onChange={(text) => set(edited, text)}
          onClose={() => setEdited(undefined)}
        />
      )}
    </div>
  );
}

interface DialogProps {
  bucket: string | undefined;
  kind: Kind;
  text: NonNullable<Mails[Kind]>;
  onChange: (text: NonNullable<Mails[Kind]>) => void;
  onClose: () => void;
}

function MailDialog({ bucket, kind, text, onChange, onClose }: DialogProps) {
  const [edited, setEdited] = useState(text);
  const { subject, greeting } = edited;
  const preview = useRead(
    ["portal-mail", bucket, kind, subject, greeting],
    (api, { signal }) => {
      const mail = { kind, subject, greeting };
      return bucket
        ? api.portal(bucket).previewMail(mail, { signal })
        : api.billing.previewMail(mail as BillingMailPreviewCreate, { signal });
    },
    { placeholderData: (before) => before },
  );
  const submit = () => {
    onChange({ subject, greeting });
    onClose();
  };
  return (
    <Dialog title={labels[kind]} onClose={onClose} onSubmit={submit} foot={<Button type="submit">Done</Button>}>
      <TextField
        label="Subject"
        isOptional
        placeholder="{subject}"
        hint="{subject} is replaced by the default subject."
        {...bindInput(subject ?? "", (text) => setEdited({ ...edited, subject: text || undefined }))}
      />
      <TextField
        label="Greeting"
        isOptional
        placeholder="Hello,"
        {...bindInput(greeting ?? "", (text) => setEdited({ ...edited, greeting: text || undefined }))}
      />
      {preview.error ? (
        <ErrorNotice error={preview.error} />
      ) : preview.data ? (
        <section className="stack" aria-label="Preview">
          <strong>{preview.data.subject}</strong>
          <p className="pre-line">{preview.data.text.trim()}</p>
        </section>
      ) : (
        <SkeletonLines />
      )}
    </Dialog>
  );
}
