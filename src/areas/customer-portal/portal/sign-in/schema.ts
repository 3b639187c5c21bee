import { z } from "zod";
import { dateTime, email, mailedName, secret, text } from "../../../../core/schemas/schemas.ts";
import { session } from "../customer/schema.ts";

export const portalSignInInput = z
  .strictObject({
    email,
    to: text(8192)
      .optional()
      .meta({ description: "The path of the portal that the link of the mail opens, in this browser only." }),
  })
  .meta({ id: "PortalSignInStart", examples: [{ email: "jo@acme.example" }] });

export const startedPortalSignIn = z
  .object({ expiresOn: dateTime })
  .meta({ id: "PortalStartedSignIn", examples: [{ expiresOn: "2026-01-31T10:15:00.000Z" }] });

export const portalCodeInput = z
  .strictObject({
    code: secret(text(20).meta({ description: "The code of the mail: 8 digits; spaces are ignored." })),
  })
  .meta({ id: "PortalSignInCode", examples: [{ code: "1234 5678" }] });

export const portalLinkInput = z
  .strictObject({
    link: secret(text(100).min(1).meta({ description: "What follows `#` in the link." })),
  })
  .meta({ id: "PortalSignInLink", examples: [{ link: "tgl_0123456789abcdef0123456789abcdef_7759b50e" }] });

const proof = secret(text(100).min(1).meta({ description: "Proves who signs in. Valid once, for 15 minutes." }));
const proofExample = "tgpp_0123456789abcdef0123456789abcdef_7759b50e";

const customer = z.object({
  id: z.string().meta({ description: "The person's manager or invite at this customer." }),
  name: z.string(),
});

const customerExample = { id: "mngr_0QGzNqW81Kx8VhTb3mPcRdZu", name: "acme" };

export const choiceInput = z
  .strictObject({ proof, id: text(64).min(1) })
  .meta({ id: "PortalCustomerChoice", examples: [{ proof: proofExample, id: customerExample.id }] });

export const signInOutcome = z
  .object({
    session: session.optional().meta({ description: "Set if the person is signed in." }),
    proof: proof.optional().meta({ description: "For the next step, if there is one." }),
    email: z.string().optional(),
    customers: z.array(customer).optional().meta({ description: "The person manages several: choose one." }),
    signUp: z
      .enum(["open", "approval", "pending", "denied"])
      .optional()
      .meta({ description: "The person has no account: create one, or request access. Or a request was made." }),
    to: z.string().optional().meta({ description: "The path of the portal to open, if it is not `/`." }),
  })
  .meta({
    id: "PortalSignInOutcome",
    examples: [{ proof: proofExample, email: "jo@acme.example", customers: [customerExample] }],
  });

export const signUpInput = z
  .strictObject({
    proof,
    name: mailedName(80).optional().meta({
      description: "The name of the company or the person. One line without links: invitations by mail contain it.",
    }),
    note: text(500).optional().meta({ description: "For the business, which approves the request." }),
  })
  .meta({ id: "PortalSignUp", examples: [{ proof: proofExample, name: "Acme" }] });

export const signUpOutcome = z
  .object({
    session: session.optional().meta({ description: "Set if the account was created." }),
    key: secret(z.string().meta({ description: "The value of the first key, shown once." })).optional(),
    keyId: z.string().optional(),
    isRequested: z.boolean().meta({ description: "Whether the business has to approve first." }),
  })
  .meta({ id: "PortalSignUpOutcome", examples: [{ isRequested: true }] });

export const customers = z
  .object({ data: z.array(customer.extend({ isCurrent: z.boolean() })) })
  .meta({ id: "PortalCustomers", examples: [{ data: [{ ...customerExample, isCurrent: true }] }] });
