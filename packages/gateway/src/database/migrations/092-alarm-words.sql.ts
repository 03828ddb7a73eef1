/** Alarms in the words of earlier versions, which no later version would remove. */
export const alarmWords = `
update alarm set reason = 'Payouts are waiting: ' || substr(reason, length('Payouts wait: ') + 1)
where starts_with(reason, 'Payouts wait: ');
-- raised again in other words while its cause lasts
delete from alarm where starts_with(reason, 'Consolidation waits: ');
`;
