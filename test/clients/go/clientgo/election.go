package main

import (
	"context"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

// election lets two candidates compete for a Lease: one leads, gives it up, and the other takes over.
func election(s *session) error {
	leads := make(chan string, 4)
	stopped := make(chan string, 4)
	candidate := func(identity string) (context.CancelFunc, error) {
		lock, err := resourcelock.NewFromKubeconfig(resourcelock.LeasesResourceLock, s.namespace, "leader",
			resourcelock.ResourceLockConfig{Identity: identity}, s.config, 2*time.Second)
		if err != nil {
			return nil, err
		}
		elector, err := leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
			Lock:            lock,
			LeaseDuration:   3 * time.Second,
			RenewDeadline:   2 * time.Second,
			RetryPeriod:     100 * time.Millisecond,
			ReleaseOnCancel: true,
			Callbacks: leaderelection.LeaderCallbacks{
				OnStartedLeading: func(context.Context) { leads <- identity },
				OnStoppedLeading: func() { stopped <- identity },
			},
		})
		if err != nil {
			return nil, err
		}
		ctx, cancel := context.WithCancel(s.ctx)
		go elector.Run(ctx)
		return cancel, nil
	}
	resign, err := candidate("first")
	if err != nil {
		return err
	}
	if err := expect(s, leads, "first"); err != nil {
		return err
	}
	stop, err := candidate("second")
	if err != nil {
		return err
	}
	defer stop()
	// It renews more than once while somebody else wants it.
	leases := s.client.CoordinationV1().Leases(s.namespace)
	renewals := map[string]bool{}
	err = s.eventually("the lease is renewed three times by the first", func() bool {
		lease, err := leases.Get(s.ctx, "leader", metav1.GetOptions{})
		if err == nil && *lease.Spec.HolderIdentity == "first" {
			renewals[lease.Spec.RenewTime.String()] = true
		}
		return len(renewals) > 2
	})
	if err != nil {
		return err
	}
	resign()
	if err := expect(s, stopped, "first"); err != nil {
		return err
	}
	if err := expect(s, leads, "second"); err != nil {
		return err
	}
	lease, err := leases.Get(s.ctx, "leader", metav1.GetOptions{})
	if err != nil {
		return err
	}
	if *lease.Spec.HolderIdentity != "second" || *lease.Spec.LeaseTransitions < 1 {
		return fmt.Errorf("the lease is held by %s after %d transitions", *lease.Spec.HolderIdentity, *lease.Spec.LeaseTransitions)
	}
	return nil
}

func expect(s *session, from <-chan string, wanted string) error {
	select {
	case got := <-from:
		if got != wanted {
			return fmt.Errorf("%q where %q was expected", got, wanted)
		}
		return nil
	case <-s.ctx.Done():
		return fmt.Errorf("waited in vain for %q", wanted)
	}
}
