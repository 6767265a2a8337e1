package main

import (
	"context"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/webhook/conversion"
)

var (
	v1beta1 = schema.GroupVersion{Group: "shop.example.com", Version: "v1beta1"}
	v1      = schema.GroupVersion{Group: "shop.example.com", Version: "v1"}
)

// Cake is stored as v1; in v1beta1 its layers are one text.
type Cake struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              CakeSpec   `json:"spec,omitempty"`
	Status            CakeStatus `json:"status,omitempty"`
}

type CakeSpec struct {
	Layers []string `json:"layers,omitempty"`
	Size   string   `json:"size,omitempty"`
}

type CakeStatus struct {
	Baked              int                `json:"baked,omitempty"`
	ObservedGeneration int64              `json:"observedGeneration,omitempty"`
	Conditions         []metav1.Condition `json:"conditions,omitempty"`
}

type CakeList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Cake `json:"items"`
}

type OldCake struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              OldCakeSpec `json:"spec,omitempty"`
	Status            CakeStatus  `json:"status,omitempty"`
}

type OldCakeSpec struct {
	Layers string `json:"layers,omitempty"`
	Size   string `json:"size,omitempty"`
}

func addTypes(scheme *runtime.Scheme) {
	scheme.AddKnownTypes(v1, &Cake{}, &CakeList{})
	scheme.AddKnownTypeWithName(v1beta1.WithKind("Cake"), &OldCake{})
	metav1.AddToGroupVersion(scheme, v1)
	metav1.AddToGroupVersion(scheme, v1beta1)
}

func toOld(_ context.Context, cake *Cake, old *OldCake) error {
	old.ObjectMeta, old.Status = cake.ObjectMeta, cake.Status
	old.Spec = OldCakeSpec{Layers: strings.Join(cake.Spec.Layers, ","), Size: cake.Spec.Size}
	return nil
}

func fromOld(_ context.Context, old *OldCake, cake *Cake) error {
	cake.ObjectMeta, cake.Status = old.ObjectMeta, old.Status
	cake.Spec = CakeSpec{Size: old.Spec.Size}
	if old.Spec.Layers != "" {
		cake.Spec.Layers = strings.Split(old.Spec.Layers, ",")
	}
	return nil
}

var converter = conversion.NewHubSpokeConverter(&Cake{}, conversion.NewSpokeConverter(&OldCake{}, toOld, fromOld))

func (c *Cake) DeepCopyObject() runtime.Object {
	copied := *c
	c.ObjectMeta.DeepCopyInto(&copied.ObjectMeta)
	copied.Spec.Layers = append([]string(nil), c.Spec.Layers...)
	copied.Status.Conditions = append([]metav1.Condition(nil), c.Status.Conditions...)
	return &copied
}

func (c *CakeList) DeepCopyObject() runtime.Object {
	copied := *c
	copied.Items = make([]Cake, len(c.Items))
	for index := range c.Items {
		copied.Items[index] = *c.Items[index].DeepCopyObject().(*Cake)
	}
	return &copied
}

func (c *OldCake) DeepCopyObject() runtime.Object {
	copied := *c
	c.ObjectMeta.DeepCopyInto(&copied.ObjectMeta)
	copied.Status.Conditions = append([]metav1.Condition(nil), c.Status.Conditions...)
	return &copied
}
