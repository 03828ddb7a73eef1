/** Risk analysis and what is known of payments without a confirmation. */
export const risk = `
-- who held it or let it go by hand; what was released is not held again by a later analysis
alter table transaction add column quarantined_by text;
alter table transaction add column released_by text;
-- when the analysis is tried again that failed or took too long; null when there is nothing to try
alter table transaction add column risk_due_real timestamptz;
alter table transaction add column risk_tries integer not null default 0;
create index transaction_risk_due on transaction(risk_due_real) where risk_due_real is not null;

-- what the sandbox was told about a payment
alter table sandbox_transaction add column risk text;
alter table sandbox_transaction add column replaceable boolean not null default false;
`;
