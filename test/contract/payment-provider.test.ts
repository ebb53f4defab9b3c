import { describeOnStores } from '../fixtures/postgres.ts';
import { paymentProviderContract } from './payment-provider-contract.ts';
import { stageSandbox, stageStripe } from './payment-providers.ts';

paymentProviderContract('Stripe', stageStripe, {
  card_declined: 'card_declined',
  insufficient_funds: 'card_declined',
  expired_card: 'expired_card',
  authentication_required: 'authentication_required',
});
await describeOnStores('the sandbox', (databaseUrl) =>
  paymentProviderContract('keeps the contract of providers', () => stageSandbox(databaseUrl), {
    card_declined: 'card_declined',
  }),
);
