/** Callbacks whose body and deliveries are removed some day. */
export const callbackRetention = `
create index callback_finished on callback(finished_at_real) where state <> 'pending' and body <> '';
`;
